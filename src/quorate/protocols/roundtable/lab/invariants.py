"""Red-team invariants of the roundtable: turns, speakers, and documents that are only appended to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.core.record import Asked, Moved, Said
from quorate.lab.redteam.broken import Broken, Guarantee
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.roundtable.rules.forms import Framing, Turn, Utterance
from quorate.protocols.roundtable.rules.model import State, turn_limit

_BY = re.compile(r"\[([A-Z][\w-]*(?:/[A-Z][\w-]*)*)\]")
"""Who said it, as the clerk writes it: `[Maya/Alex]`."""


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every broken invariant of a roundtable."""
    limit = turn_limit(seen.record.opening.settings["max_turns"])
    asked: dict[str, int] = {}
    for line in seen.record.log:
        if isinstance(line, Asked):
            entry = line.ask.id.partition(".")[0]
            asked[entry] = asked.get(entry, 0) + 1
        elif isinstance(line, Moved):
            state: State = line.move.after
            if state.turn > limit:
                yield Broken(Guarantee.THRESHOLDS, f"turn {state.turn} of {limit}")
    if any(times > 1 for times in asked.values()):
        yield Broken(Guarantee.ONE_BALLOT, "two had the word at once")
    utterances = sum(
        isinstance(line, Said) and isinstance(line.reply, Framing | Utterance | Turn) for line in seen.record.log
    )
    most = (seen.record.opening.settings["free_moves"] + 2) * (limit + 1)  # a pass and a turn beside the free moves
    if utterances > most * seen.record.opening.settings["max_elaborations"]:
        yield Broken(Guarantee.BUDGET, f"{utterances} utterances in {limit} turns")
    yield from _documents(seen)
    yield from _attributed(seen)


def _documents(seen: Observed) -> Iterator[Broken]:
    """Nothing that stood in a document is gone, and nothing else is written (T23)."""
    for path, text in seen.before.items():
        now = seen.after.get(path)
        if now is None:
            yield Broken(Guarantee.LEDGER, f"{path} is gone")
        elif path.endswith(".md") and not _is_kept(text, now):
            yield Broken(Guarantee.LEDGER, f"{path} lost a line")
    for path in seen.after.keys() - seen.before.keys():
        yield Broken(Guarantee.ELIGIBILITY, f"{path} was written, and nobody asked for it")


def _is_kept(before: str, after: str) -> bool:
    """Whether all lines of a text stand in another, in their order."""
    lines = iter(after.splitlines())
    return all(any(line == other for other in lines) for line in before.splitlines())


def _attributed(seen: Observed) -> Iterator[Broken]:
    """What is attributed in a document is attributed to somebody who spoke (T22)."""
    briefs = seen.record.protocol.briefs
    names = {seat: briefs[f"roles/{seat}"].lstrip("# ").split()[0] for seat in seen.record.opening.settings["personas"]}
    said = [line for line in seen.record.log if isinstance(line, Said)]
    spoke = {names[line.ask.seat] for line in said if isinstance(line.reply, Framing | Utterance)}
    spoke |= {"User"} if any(isinstance(line.reply, Turn) for line in said) else set()
    spoke |= {"All"} if spoke == {*names.values(), "User"} else set()
    for path, text in seen.after.items():
        old = set(seen.before.get(path, "").splitlines())
        for added in (line for line in text.splitlines() if path.endswith(".md") and line not in old):
            for written in _BY.findall(added):
                if strangers := set(written.split("/")) - spoke:
                    yield Broken(Guarantee.ELIGIBILITY, f"words are attributed to {min(strangers)}, who did not speak")
