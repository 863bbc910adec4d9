"""What became of each thing that was said or brought in a workshop (W39)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from quorate_verifier.fate_words import NOTED
from quorate_verifier.kinds import Artifact, made_in
from quorate_verifier.rules import Heard

Fate = dict[str, Any]
MATTERS = {"OQ": "question", "CONF": "conflict", "RUL": "ruling"}
NOT_PUT = {
    "too late": "it was the last round",
    "too early": "fewer than min_rounds were complete",
    "passed over": "the topics were closed first",
}
LEVELS = {"consensus": "agreed", "draft": "draft", "conflict": "in conflict"}


class Told:
    """What was said, escalated and refused on the way, with what became of it."""

    def __init__(self, notes: Collection[str] = ()) -> None:
        self.notes = notes
        """Seats whose model has not passed the exam (W40)."""
        self.said: list[Fate] = []
        self.put: list[Fate] = []
        self.entries: list[Fate] = []
        self.remarks: list[Fate] = []

    def fates(
        self, artifacts: Iterable[Artifact], parts: int, read: set[int], unlisted: bool
    ) -> Sequence[Mapping[str, Any]]:
        """Return every fate: artifacts, what was said, what was put to a person, refusals, documents."""
        brought = [_fate(f"part-{n}", "document", (), _shown(n in read)) for n in range(1, parts + 1)]
        brought += [_fate("part-rest", "document", (), _shown(False))] if unlisted else []
        return [*map(_artifact, artifacts), *self.said, *self.put, *self.remarks, *self.entries, *brought]

    def unheard_entries(self, round_: int, heard: Sequence[Heard]) -> None:
        """Note what a synthesis would have made and moved, where its phase was cut short (W34)."""
        said = [each.reply for each in heard if each.brief == "synthesise" and each.reply is not None]
        count = sum(len([*made_in(reply)]) + len(reply["changes"]) for reply in said)
        numbers = range(1, count + 1)
        self.said += [_fate(f"entry-{round_}.{n}", "entry", ("facilitator",), "not heard") for n in numbers]

    def remark(self, text: str) -> None:
        """Note what a person says beside a choice, which the facilitator is still to be shown (W24, W25)."""
        if text.strip():
            self.remarks.append(_fate(f"remark-{len(self.remarks) + 1}", "remark", ("person",), "under way"))

    def remarked(self, became: str) -> None:
        for each in self.remarks:
            each["became"] = became if each["became"] == "under way" else each["became"]

    def responses(
        self,
        round_: int,
        heard: Sequence[Heard],
        facts: Sequence[tuple[str, Mapping[str, Any]]],
        known: Mapping[str, Artifact],
    ) -> None:
        """Note positions, contests and blocks that were decided upon."""
        conflicts = {values["id"]: values["conflict"] for name, values in facts if name in ("contested", "blocked")}
        for each in heard:
            if each.reply is None:
                continue
            if each.seat in self.notes:
                self._all(round_, each, known, NOTED)
                continue
            self._position(round_, each, "heard")
            for key in each.reply.get("contested", ()):
                became = f"raised {conflicts[key]}" if key in conflicts else "refused"
                self.said.append(_fate(f"contest-{round_}.{each.seat}.{key}", "contest", (each.seat,), became))
            for key, vote in _blocks(each.reply, known):
                stopped = f"raised {conflicts[key]}" if key in conflicts else f"stopped {key}"
                stopped = f"kept {key} waiting" if key.startswith("RUL") else stopped
                became = "stood aside" if vote["groundless"] else stopped
                self.said.append(_fate(f"block-{round_}.{each.seat}.{key}", "block", (each.seat,), became))

    def unheard(self, round_: int, heard: Sequence[Heard], known: Mapping[str, Artifact]) -> None:
        """Note what was said in a phase that was cut short."""
        for each in heard:
            if each.reply is not None:
                self._all(round_, each, known, "not heard")

    def _all(self, round_: int, each: Heard, known: Mapping[str, Artifact], became: str) -> None:
        """Note a whole answer that came to one thing: it was not heard, or it was noted."""
        reply = each.reply or {}
        self._position(round_, each, became)
        named = [("contest", key) for key in reply.get("contested", ())]
        named += [("block", key) for key, _ in _blocks(reply, known)]
        for what, key in named:
            self.said.append(_fate(f"{what}-{round_}.{each.seat}.{key}", what, (each.seat,), became))

    def _position(self, round_: int, each: Heard, became: str) -> None:
        self.said.append(_fate(f"position-{round_}.{each.seat}", "position", (each.seat,), became))

    def escalated(self, round_: int, name: str) -> None:
        why = NOT_PUT.get(name)
        became = "put to a person" if why is None else f"not put to a person: {why}"
        self.put.append(_fate(f"escalation-{round_}", "escalation", (), became))

    def refused(self, phase: str, facts: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        by = ("facilitator",) if phase == "SYNTHESIS" else ()
        for name, _ in facts:
            if name == "refused":
                self.entries.append(_fate(f"refused-{len(self.entries) + 1}", "entry", by, "refused"))


def beside(reply: Mapping[str, Any] | None, choice: str) -> str:
    """Return what a person wrote that is no part of a ruling, by what the answer amounts to (W24)."""
    if reply is None or choice == "decide":
        return ""
    return "\n\n".join(filter(str.strip, (reply["decision"], "" if choice == "accept" else reply["reason"])))


def _blocks(reply: Mapping[str, Any], known: Mapping[str, Artifact]) -> list[tuple[str, Mapping[str, Any]]]:
    votes = sorted(reply.get("votes", {}).items())
    return [(key, v) for key, v in votes if v["stance"] == "BLOCK" and key in known]


def _artifact(each: Artifact) -> Fate:
    return _fate(each.key, MATTERS.get(each.kind, "artifact"), each.by, _became(each))


def _became(each: Artifact) -> str:
    if each.kind == "RUL":
        return "applied" if each.status == "resolved" else "not applied"
    if each.kind in MATTERS:
        return "open" if each.status == "open" else "decided by a person" if each.by_person else "resolved"
    if each.status == "superseded":
        return f"superseded by {each.replaced_by}"
    return each.status if each.status == "withdrawn" else LEVELS[each.agreement]


def _shown(shown: bool) -> str:
    return "shown" if shown else "shown to nobody"


def _fate(key: str, what: str, by: Sequence[str], became: str) -> Fate:
    return {"id": key, "what": what, "by": list(by), "became": became}
