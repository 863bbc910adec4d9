"""DIAG-001 to DIAG-003: the dumps of the rounds are complete, show who was told what, and agree on the stage.

A dump is `rounds/NNN-PP-actor.yaml`: the round, the part (01 question, 02 responses, 03 synthesis) and who was asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, Problem, Severity, problem
from quorate.protocols.workshop.audit.read import Round, SessionFile

_NAME = re.compile(r"(?:.*/)?([0-9]{3,6})-([0-9]{2})-([A-Za-z0-9._-]{1,100})\.(?:ya?ml|json)", re.ASCII)
_OF_FACILITATOR = re.compile(r"facilitator(?:-(?:question|synthesis))?")
_FIELDS = (
    ("round",),
    ("phase",),
    ("actor",),
    ("started", "started_at", "timing.started_at"),
    ("completed", "completed_at", "timing.completed_at"),
    ("input", "prompt"),
    ("response",),
    ("result",),
    ("tokens",),
)
"""What every dump has, each under one of these names."""
_SHARED = ("project_summary", "relevant_artifacts", "open_questions", "recent_rounds")
_TELLING = 40
"""Characters by which a text is recognised; shorter ones may stand anywhere."""
_MOST_COMPARED = 50
"""Answers of a round that are looked for; no workshop has as many participants."""
_WITHOUT = "there are no dumps of the rounds"


@dataclass(frozen=True)
class Dump:
    name: str
    at: Spot
    round: int
    part: int
    actor: str

    @cached_property
    def shown(self) -> str:
        """Everything the actor was shown, with white space collapsed."""
        return _plain(self.at.first("input", "prompt"))

    @property
    def absent(self) -> bool:
        return self.at["result"]["status"].text == "absent"

    def problem(self, check: str, at: Spot, what: str, expected: str | None = None, *, warns: bool = False) -> Problem:
        severity = Severity.WARNING if warns else Severity.ERROR
        return problem(check, at, what, expected, severity=severity, file=self.name)


def _plain(at: Spot) -> str:
    """Return all texts of a value, joined, with white space collapsed."""
    texts: list[str] = []
    to_do = [at]
    while to_do:
        spot = to_do.pop()
        if spot.text is not None:
            texts.append(spot.text)
        to_do += reversed((*spot.entries.values(), *spot.items))
    return " ".join(" ".join(texts).split())


def _read(file: SessionFile) -> tuple[dict[tuple[int, int, str], Dump], list[str]]:
    """Return the dumps by round, part and actor, and the names that are not dumps."""
    found: dict[tuple[int, int, str], Dump] = {}
    odd: list[str] = []
    for name, at in sorted((file.dumps or {}).items()):
        parts = _NAME.fullmatch(name) if len(name) <= 300 else None
        if parts is None:
            odd.append(name)
            continue
        actor = "facilitator" if _OF_FACILITATOR.fullmatch(parts[3]) else parts[3]
        dump = Dump(name, at, int(parts[1]), int(parts[2]), actor)
        found[dump.round, dump.part, actor] = dump
    return found, odd


def check_dumps(file: SessionFile) -> Iterator[Finding]:
    """There is a dump of every question, response and synthesis, with all its fields, under its own name."""
    check = "DIAG-001"
    if not file.dumps:
        yield NotChecked(check, _WITHOUT)
        return
    dumps, odd = _read(file)
    for name in odd:
        yield problem(
            check, Spot(None), f"{shown(name)} is not the name of a dump", "rounds/NNN-PP-actor.yaml", file=name
        )
    for each in file.rounds:
        for part, actor in _expected(each):
            if (each.place, part, actor) not in dumps:
                what = f"there is no dump of {shown(actor)} in round {each.place}"
                yield problem(check, each.at, what, dump_name(each.place, part, actor))
    for dump in dumps.values():
        yield from _fields(dump, len(file.rounds))


def dump_name(place: int, part: int, actor: str) -> str:
    """Return the relative path of a dump; unsafe characters are replaced by hyphens."""
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", actor, flags=re.ASCII).strip("-")[:80] or "nobody"
    return f"rounds/{place:03}-{part:02}-{safe}.yaml"


def _expected(each: Round) -> Iterator[tuple[int, str]]:
    if each.at["facilitator_question"].said and each.at["fallback_question"].flag is not True:
        yield 1, "facilitator"
    for name in each.positions:
        yield 2, name
    if each.at["synthesis_summary"].said:
        yield 3, "facilitator"


def _fields(dump: Dump, rounds: int) -> Iterator[Finding]:
    check, at = "DIAG-001", dump.at
    if not at.is_mapping:
        yield dump.problem(check, at, f"is {at}", "a mapping")
        return
    for names in _FIELDS:
        spots = [_below(at, name) for name in names]
        if not any(spot.given for spot in spots) and not (names == ("response",) and dump.absent):
            yield dump.problem(check, spots[0], "is missing", " or ".join(names))
    if dump.round > rounds:
        yield dump.problem(check, at["round"], f"there is no round {dump.round}", f"at most {rounds}")
    number, part, actor = at["round"], at["phase"], at["actor"]
    if number.given and number.whole != dump.round:
        yield dump.problem(check, number, f"is {number}", f"{dump.round}, as the name of the file says")
    if part.given and part.whole != dump.part:
        yield dump.problem(check, part, f"is {part}", f"{dump.part}, as the name of the file says")
    if actor.given and actor.text != dump.actor and dump_name(0, 0, actor.text or "") != dump_name(0, 0, dump.actor):
        yield dump.problem(check, actor, f"is {actor}", f"{dump.actor}, as the name of the file says")


def _below(at: Spot, name: str) -> Spot:
    for part in name.split("."):
        at = at[part]
    return at


def check_context(file: SessionFile) -> Iterator[Finding]:
    """Participants are shown the question and nobody's answer of the round; the facilitator is shown all answers."""
    check = "DIAG-002"
    if not file.dumps:
        yield NotChecked(check, _WITHOUT)
        return
    dumps, _ = _read(file)
    earlier = ""
    for each in file.rounds:
        said = {
            name: _plain(position["position"] if position.is_mapping else position)
            for name, position in each.positions.items()
        }
        question = _plain(each.at["facilitator_question"])
        for name in each.positions:
            dump = dumps.get((each.place, 2, name))
            if dump is not None and dump.shown:
                yield from _told(dump, question, said, earlier)
        synthesis = dumps.get((each.place, 3, "facilitator"))
        if synthesis is not None and synthesis.shown:
            for name, text in said.items():
                if text[:_TELLING] not in synthesis.shown:
                    what = f"the answer of {shown(name)} is not in what the facilitator was shown"
                    yield synthesis.problem(check, _input(synthesis), what, "every answer of the round", warns=True)
        first = dumps.get((each.place, 1, "facilitator"))
        if first is not None:
            yield from _shared(first)
        earlier += " ".join(said.values())


def _input(dump: Dump) -> Spot:
    return dump.at.first("input", "prompt")


def _told(dump: Dump, question: str, said: Mapping[str, str], earlier: str) -> Iterator[Finding]:
    """A participant is told the question, and blind to the others (W9)."""
    if question and question[:_TELLING] not in dump.shown:
        yield dump.problem("DIAG-002", _input(dump), "the question is not in it", shown(question))
    for name, text in islice(said.items(), _MOST_COMPARED):
        if name == dump.actor:
            continue
        if len(text) >= _TELLING and text in dump.shown and text not in earlier:
            what = f"shows the answer of {shown(name)} of the same round"
            yield dump.problem("DIAG-002", _input(dump), what, "answers that are given blind")


def _shared(dump: Dump) -> Iterator[Finding]:
    """Where the facilitator chooses what participants are told, nothing of it is left out."""
    context = dump.at["response"]["participant_context"]
    if not context.exists:
        return
    for name in _SHARED:
        if not context["shared"][name].exists:
            yield dump.problem("DIAG-002", context["shared"][name], "is missing", ", ".join(_SHARED))


def check_stages(file: SessionFile) -> Iterator[Finding]:
    """Where a strategy has several stages, the dumps of a round tell the round's own."""
    check = "DIAG-003"
    if file.strategy is None or len(file.strategy.stages) == 1:
        return
    if not file.dumps:
        yield NotChecked(check, _WITHOUT)
        return
    dumps, _ = _read(file)
    told = 0
    for dump in dumps.values():
        at = dump.at.first("stage", "debate_phase", "disney_phase")
        each = file.rounds[dump.round - 1] if 1 <= dump.round <= len(file.rounds) else None
        if each is None or not at.said:
            continue
        told += 1
        if not each.has_phase:
            yield problem(check, each.phase, f"round {each.place} has no phase, but its dumps say {at}", str(at))
        elif at.text != each.phase.text:
            yield dump.problem(check, at, f"is {at}, but the round is {each.phase}", str(each.phase))
    if not told:
        yield NotChecked(check, "the dumps do not say which phase they are of")
