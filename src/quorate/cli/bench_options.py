"""Options of the benches: who sits on the seats, what is drawn, and how far a run may go."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from quorate.lab.bench.seats import Simulated

F = TypeVar("F", bound=Callable[..., Any])

seed_option = click.option(
    "--seed",
    type=click.IntRange(0, 2**31 - 1),
    default=1,
    show_default=True,
    metavar="N",
    help="What tasks are drawn from.",
)


def panel_options(command: F) -> F:
    """Add the options that say who sits on the seats."""
    return _added(
        command,
        click.option(
            "--panel", "panels", multiple=True, metavar="[METHOD=]FILE", help="Who sits on the seats; may be repeated."
        ),
        click.option("--model", metavar="M", help="The model of all seats, such as openai:gpt-5."),
        click.option("--accuracy", metavar="P", help="Simulated seats instead, each right with this chance."),
        click.option("--correlation", metavar="PHI", help="How much simulated seats err together, from 0 to 1."),
    )


def run_options(command: F) -> F:
    """Add the options that say how far a run may go, and where it is kept."""
    return _added(
        command,
        click.option("--tokens", type=click.IntRange(1, 10**12), metavar="N", help="The most tokens of the whole run."),
        click.option(
            "--at-once",
            type=click.IntRange(1, 100),
            default=4,
            show_default=True,
            metavar="N",
            help="Tasks at the same time.",
        ),
        click.option(
            "--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting, such as debate.rounds=1."
        ),
        click.option(
            "--out", "folder", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Keep it all there."
        ),
    )


def _added(command: F, *options: Callable[[F], F]) -> F:
    """Add options so that the help lists them in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def read_panels(given: tuple[str, ...]) -> dict[str, Path]:
    """Parse `FILE` and `METHOD=FILE`."""
    from quorate import catalog
    from quorate.core.errors import SettingError
    from quorate.lab.bench.methods import PLAIN, PROTOCOL
    from quorate.lab.bench.review_bench import CALLS

    known = {*PLAIN, "read", *CALLS, PROTOCOL, *catalog.definitions()}
    found: dict[str, Path] = {}
    for text in given:
        method, equals, rest = text.partition("=")
        name, file = (method, rest) if equals and method in known else ("", text)
        if name in found:
            raise SettingError(
                f"two panels are given for {name or 'all methods'}", key="panel", expected="one file for each method"
            )
        found[name] = Path(file)
    return found


def read_simulated(accuracy: str | None, correlation: str | None, seed: int, *, named: bool) -> Simulated | None:
    from quorate.core.errors import SettingError
    from quorate.lab.bench.seats import Simulated

    if accuracy is None:
        if correlation is not None:
            raise SettingError("has no effect without --accuracy", key="correlation", expected="--accuracy beside it")
        return None
    if named:
        raise SettingError(
            "simulates the seats, so no panel can fill them",
            key="accuracy",
            expected="no --panel and no --model beside it",
        )
    return Simulated(_chance("accuracy", accuracy), _chance("correlation", correlation or "0"), seed)


def _chance(key: str, text: str) -> Fraction:
    """Parse 0.7 or 7/10. Exponents are refused, since a huge one would make a huge number."""
    from quorate.core.errors import SettingError

    wrong = SettingError(f"is {text[:40]!r}", key=key, expected="a number from 0 to 1, such as 0.7 or 7/10")
    if len(text) > 40 or "e" in text.lower():
        raise wrong
    try:
        chance = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise wrong from None
    if not 0 <= chance <= 1:
        raise wrong
    return chance
