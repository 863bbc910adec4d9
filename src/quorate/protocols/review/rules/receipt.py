"""The subject of a review, read from its record: the current change, its examinations, ballots and amendments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Moved, Record, Said
from quorate.core.types import Seat
from quorate.kit.strict_json import strict_json
from quorate.protocols.review.rules.forms import Agreement, Amendment, Ballot, Examination, Tabling
from quorate.protocols.review.rules.hits import READING_BRIEFS
from quorate.protocols.review.rules.model import CHAIR, CHECKS, PROPOSER, WHOLE, State, Verdict, file_keys
from quorate.protocols.review.rules.parts import Part

PATCH_START = "diff --git "


@dataclass(frozen=True, slots=True)
class UnderReview:
    """The change in its current state: its examination, and its diff file by file."""

    examination: Examination | None
    patches: tuple[str, ...]

    def files(self) -> list[dict[str, Any]]:
        """Return the receipt's entries for the files, in the order of the keys."""
        if self.examination is None:
            return []
        files: list[dict[str, Any]] = receipt(self.examination)["files"]
        return files

    def listed(self, count: int) -> Iterator[str]:
        """Yield one line per file key, and one for the change as a whole."""
        known = {file["key"]: file for file in self.files()}
        for key in file_keys(count):
            file = known.get(key)
            told = f"{file['path']} ({file['status']}, +{file['added']} -{file['removed']})" if file else "a file"
            yield f"{key} the change as a whole" if key == WHOLE else f"{key} {told}"

    def name(self, key: Key) -> str:
        """Return the name of a file key; keys are reassigned with every amendment."""
        return self.path(key) or ("the change as a whole" if key == WHOLE else str(key))

    def path(self, key: Key) -> str:
        """Return the path of a file key; empty for the change as a whole."""
        return next((str(file["path"]) for file in self.files() if file["key"] == key), "")


def receipt(examination: Examination) -> dict[str, Any]:
    """Return the receipt of an examination; one without files if it is malformed."""
    try:
        found = strict_json(examination.receipt.text)
    except ValueError:
        found = {}
    return found if isinstance(found, dict) and "files" in found else {"files": []}


def patches_in(change: str) -> tuple[str, ...]:
    """Split a unified diff into its files; no line of a file's content can begin like their first line.

    A file that became a link, or a link that became a file, has two sections with the same first line.
    """
    found: list[str] = []
    for section in re.split(rf"(?m)^(?={PATCH_START})", change):
        if found and section.partition("\n")[0] == found[-1].partition("\n")[0]:
            found[-1] += section
        elif section:
            found.append(section)
    return tuple(found)


def without_column(patch: str) -> str:
    """Return a patch without its first column, as people and models quote several lines of it."""
    return re.sub(r"(?m)^[ +-]", "", patch)


def claims(record: Record) -> list[dict[str, Any]]:
    """Return the acceptance claims, in the order of their keys."""
    found: list[dict[str, Any]] = strict_json(record.material.get("claims", "[]"))
    return found


def examinations(record: Record) -> list[Said]:
    """Return every examination that counted: of the change itself, and of each amendment that applied."""
    found = record.said(CHECKS, "examine", "apply")
    return [said for said in found if isinstance(said.reply, Examination) and said.reply.applied]


def under_review(record: Record, round_: int | None = None) -> UnderReview:
    """Return the current change, amendments included, or as it was in the ballot of a round."""
    done = [
        said for said in examinations(record) if round_ is None or said.ask.brief == "examine" or said.round < round_
    ]
    last = done[-1].reply if done else None
    assert last is None or isinstance(last, Examination)
    text = last.change.text if last is not None and last.change.text else record.material.get("change", "")
    return UnderReview(last, patches_in(text))


def ballots(record: Record, round_: int) -> dict[Seat, Ballot]:
    """Return the ballots of a round by seat, in the order of the committee."""
    state: State = record.session.state
    given = {said.ask.seat: said.reply for said in record.in_round("ballot", round_)}
    found: dict[Seat, Ballot] = {}
    for member in state.members:
        if isinstance(ballot := given.get(member.seat), Ballot):
            found[member.seat] = ballot
    return found


def part_replies(record: Record) -> list[tuple[Key, Said]]:
    """Return what readers of the current change said, with the key of the part that each was asked about."""
    return [(Key(str(fact["part"])), said) for fact, said in _readings(record)]


def unread_parts(record: Record) -> tuple[Part, ...]:
    """Return the parts of the current change that were to be read before the ballot and were not (R45)."""
    last = next((said.reply for said in reversed(examinations(record))), None)
    if not isinstance(last, Examination) or not last.divided:
        return ()
    read = {str(fact["part"]) for fact, _ in _readings(record) if fact["read"]}
    return tuple(part for part in last.parts if part.key not in read)


def _readings(record: Record) -> list[tuple[dict[str, Any], Said]]:
    """Return the facts told of each reading of the current change, with the reply."""
    found: list[tuple[dict[str, Any], Said]] = []
    heard: dict[str, Said] = {}
    for line in record.log:
        if isinstance(line, Said) and isinstance(line.reply, Examination) and line.reply.applied:
            found = []  # what was read is another change by now
        elif isinstance(line, Said) and line.ask.brief in READING_BRIEFS:
            heard[line.ask.id] = line
        elif isinstance(line, Moved):
            told = [dict(fact.values) for fact in line.move.facts if fact.name == "read"]
            found += [(fact, heard[f"{line.move.entry}.{place}"]) for place, fact in enumerate(told)]
    return found


def patches_offered(record: Record) -> list[str]:
    """Return the patches to apply, in order: those that applied before, and the last one offered."""
    applied = {said.round for said in examinations(record) if said.ask.brief == "apply"}
    offered = [
        (said.round, said.reply.patch.text)
        for said in record.said(PROPOSER, "amend")
        if isinstance(said.reply, Amendment) and not said.reply.blank
    ]
    return [
        patch for place, (round_, patch) in enumerate(offered, start=1) if round_ in applied or place == len(offered)
    ]


def amendments(record: Record) -> list[str]:
    """Return the patches that applied, in order."""
    applied = {said.round for said in examinations(record) if said.ask.brief == "apply"}
    said = [each for each in record.said(PROPOSER, "amend") if each.round in applied]
    return [each.reply.patch.text for each in said if isinstance(each.reply, Amendment)]


def amended_files(record: Record) -> dict[str, str]:
    """Return the amendment as a patch file, secrets masked; empty if there is none."""
    patch = "\n".join(amendments(record))
    return {"amendment.patch": patch} if patch else {}


def owes(record: Record) -> str:
    """Return the note that an approved amendment must still be applied to the branch; empty if there is none."""
    conclusion = record.session.conclusion
    approved = conclusion is not None and conclusion.verdict is Verdict.APPROVED
    if not (approved and amendments(record)):
        return ""
    return "what is approved is the change as amended; what was brought is not, until the amendment is applied to it"


def tabling(record: Record) -> str:
    """Return how the chair tabled the current change; empty until members have balloted on it (R6)."""
    said, done = record.latest(CHAIR, "table"), examinations(record)
    if said is None or not done or said.envelope.seq < done[-1].envelope.seq:
        return ""
    balloted = record.in_round("ballot", record.session.state.round - 1)
    if not any(each.envelope.seq > said.envelope.seq for each in balloted):
        return ""
    assert isinstance(said.reply, Tabling)
    return "\n- ".join(map(str, (said.reply.summary, *said.reply.questions)))


def agreement(record: Record) -> Agreement | None:
    """Return what the chair wrote, or None."""
    said = record.latest(CHAIR, "agree")
    return said.reply if said is not None and isinstance(said.reply, Agreement) else None
