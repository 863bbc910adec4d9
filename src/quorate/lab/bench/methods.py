"""Methods that answer a task: the plain ones of the baseline, and every installed protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quorate import catalog
from quorate.api.inputs import main_input
from quorate.core.errors import SettingError, nearest
from quorate.lab.bench.baseline import Way
from quorate.lab.bench.task import Task
from quorate.lab.lab import lab_of, made_for

PLAIN = {way.value: way for way in Way if way is not Way.READ}
PROTOCOL = "protocol"
"""As a method it stands for the protocol that is made for what a task is about."""
STANDARD = ("single", "cot", "sc", "reask", PROTOCOL)


@dataclass(frozen=True, slots=True)
class Method:
    """One method, by its name on the command line."""

    name: str

    @property
    def way(self) -> Way | None:
        """How the baseline asks under this method; None if the method is a protocol."""
        return PLAIN.get(self.name)

    def protocol(self, task: Task) -> str | None:
        """Return the protocol for this task; None for the baseline, or if no protocol fits it."""
        if self.way is not None:
            return None
        return made_for(task.matter) if self.name == PROTOCOL else self.name

    def fits(self, task: Task) -> bool:
        """Whether the method can take the task."""
        protocol = self.protocol(task)
        if protocol is None:
            return self.way is not None
        lab = lab_of(catalog.definition(protocol))
        if lab is not None and lab.inputs is not None:
            return lab.takes is task.matter
        return main_input(catalog.definition(protocol)) is not None


def read_methods(text: str) -> tuple[Method, ...]:
    """Parse `single,cot,debate` and return the methods in the order in which they run on a task.

    Protocols go first and `sc` last, since it may spend what the dearest protocol has spent, at the price of a `cot`.
    """
    known = [*PLAIN, PROTOCOL, *catalog.definitions()]
    named = [each.strip() for each in text.split(",") if each.strip()]
    for name in named:
        if name not in known:
            expected = "some of " + ", ".join(known)
            raise SettingError(f"is {name!r}", key="methods", expected=expected, nearest=nearest(name, known))
    if not named:
        raise SettingError("names none", key="methods", expected="some of " + ", ".join(known))
    if Way.SC.value in named and Way.COT.value not in named:
        named.append(Way.COT.value)
    return tuple(sorted(map(Method, dict.fromkeys(named)), key=_turn))


def _turn(method: Method) -> int:
    if method.way is None:
        return 0
    return {Way.COT: 1, Way.SC: 3}.get(method.way, 2)


def shown_order(methods: Sequence[str]) -> list[str]:
    """Return the names of methods in table order: from the plainest to the protocols."""
    return sorted(methods, key=lambda name: ([*PLAIN, name].index(name), name))
