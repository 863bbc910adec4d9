"""The grounds of a verdict in a few lines, and warnings; both derived only from typed facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.decisions import otherwise
from quorate.core.protocol import Degradation
from quorate.core.session import Cause
from quorate.kit.qualification import WHY, heading_words
from quorate.kit.quote import clip
from quorate.protocols.review.rules.ballot_count import (
    CAST_AGAIN,
    GONE,
    LIFTED,
    TAKEN_BACK,
    UNGROUNDED,
    withheld_vetoes,
)
from quorate.protocols.review.rules.fates import BLOCKS, REFUTED, WITHHELD, became_of_items
from quorate.protocols.review.rules.forms import Ballot
from quorate.protocols.review.rules.items import raised_items
from quorate.protocols.review.rules.model import Checked, Phase, Verdict
from quorate.protocols.review.rules.receipt import owes
from quorate.protocols.review.rules.reservations import OUTVOTED, reservations
from quorate.protocols.review.rules.result.committee_findings import vetoes_standing
from quorate.protocols.review.rules.result.open_findings import Open
from quorate.protocols.review.rules.result.overview import Overview, Visit
from quorate.protocols.review.rules.result.receipts import IN_PART, parts_read, unread

SETTLED = {
    WITHHELD: "nobody has settled it, so somebody has to look at it",
    BLOCKS: "the skeptic confirmed it, so it blocks",
    REFUTED: "the skeptic refuted it",
    TAKEN_BACK: "its member took it back",
    LIFTED: "its member lifted it with a later vote",
    CAST_AGAIN: "its member cast it again with confidence",
    GONE: "an amendment took its ground",
    UNGROUNDED: "its evidence was not found in the change",
}
"""What became of a veto that was withheld, in the words of the heading (R38)."""
MOST_WORDS = 120
MOST_NAMED = 10
"""Files that a warning names; the result lists them all."""


def grounds(reading: Overview, opened: Open) -> list[str]:
    """Return how the verdict follows from the counts, step by step (R27 to R29)."""
    return [*_transitions(reading), *_mapping(reading, opened)]


def _transitions(reading: Overview) -> Iterator[str]:
    for visit in reading.visits:
        if visit.moves and (visit.phase not in (Phase.PROPOSAL, Phase.DEBATE) or not visit.decided):
            yield f"Round {visit.round}: {visit.phase.name} → {visit.moves[-1].to.name}, {_because(visit)}"


def _because(visit: Visit) -> str:
    last = visit.moves[-1]
    if last.cause is Cause.INTERRUPTED:
        return f"interrupted: {last.outcome.value}"
    decisive = next(test for test in last.because if test.held)
    failed = [test.claim for test in last.because if not test.held]
    if decisive.claim == otherwise("", last.outcome).claim and failed:
        return f"{decisive.rule}: not so: {failed[-1]}"
    return f"{decisive.rule}: {decisive.claim}"


def _mapping(reading: Overview, opened: Open) -> Iterator[str]:
    """Yield what the verdict function looked at."""
    conclusion, state = reading.record.session.conclusion, reading.state
    if owed := owes(reading.record):
        yield owed
    if conclusion is None:
        return
    if conclusion.phase is Phase.ABORTED:
        yield "ABORTED: the session was cancelled (R29)"
        return
    verdict = conclusion.verdict.name
    vetoes = [f"{veto.seat} ({veto.kind})" for veto in vetoes_standing(reading)]
    if state.checked is Checked.VETOED:
        proofs = {each.finding.veto for each in opened.raised if each.finding.veto and each.finding.source == "check"}
        yield f"{verdict}: a check has proven a veto (R14): {', '.join(sorted(proofs))}"
    if vetoes:
        limit = ", and the rounds are used up (R42)" if conclusion.verdict is Verdict.INCONCLUSIVE else " (R28)"
        yield f"{verdict}: a veto stands{limit}: {', '.join(vetoes)}"
    if state.vetoed:
        return
    if state.checked in (Checked.FAILED, Checked.NOT_YET):
        yield f"{verdict}: there is no result of the checks (R27)"
    elif not any(reading.settings.counts(member.seat) for member in state.members):
        yield f"{verdict}: no member has passed the exam, so what the checks found decides: {_remaining(opened)} (R49)"
    elif not state.quorate and reading.settings.narrow:
        yield f"{verdict}: nobody whose word counts has answered for the change (R53)"
    elif not state.quorate:
        yield f"{verdict}: no ballot met the quorum (R28)"
    elif conclusion.verdict is Verdict.INCONCLUSIVE:
        why = " and ".join((*_withheld_words(reading), *([_unshown(reading)] if unread(reading) else ())))
        yield f"{verdict}: {_met(reading)} and {_remaining(opened)}, but {why} (R27)"
    else:
        yield f"{verdict}: {_met(reading)} and {_remaining(opened)} (R27)"
    yield from _answered_for(reading)


def _met(reading: Overview) -> str:
    """Return what a verdict rests on: the quorum of a ballot, or the hunks that were answered for (R53)."""
    parts = list(parts_read(reading))
    read = sum(part["read"] for part in parts)
    return f"{read} of {len(parts)} hunks are answered for" if reading.settings.narrow else "the quorum is met"


def _withheld_words(reading: Overview) -> list[str]:
    """Return whose veto is withheld for low confidence, as text (R38)."""
    waiting = [f"{item.seat} ({item.key})" for item in withheld_vetoes(reading.state)]
    stands = "a veto is" if len(waiting) == 1 else f"{len(waiting)} vetoes are"
    return [f"{stands} withheld for low confidence: {', '.join(waiting)}"] if waiting else []


def _answered_for(reading: Overview) -> Iterator[str]:
    """Yield what a person's ruling answers for: the files that nobody has read (R45, R47)."""
    ruling, files = reading.record.ruling, unread(reading)
    if ruling is not None and files:
        named = _named(files, files["count"])
        yield f"{ruling.verdict.name}: {ruling.by} rules it, and answers for what nobody has read (R47): {named}"


def _named(files: Mapping[str, Any], most: int) -> str:
    """Return the paths of some files, at most so many, and how many more there are."""
    paths = files["paths"][:most]
    return ", ".join(paths) + (f" and {files['count'] - len(paths)} more" if files["count"] > len(paths) else "")


def _shown_in_part(reading: Overview) -> str:
    """Return the seats whose own window cut a part that nobody has read, as text (R45)."""
    lost = [seat for part in parts_read(reading) if not part["read"] for seat in part["lost"]]
    return ", ".join(dict.fromkeys(s.partition(" ")[0] for s in lost if s.endswith(f"({IN_PART})")))


def _without_holder(reading: Overview) -> str:
    """Return who was shown all of a part that only a veto holder's reply could read, as text (R45)."""
    shown = [seat for part in parts_read(reading) if not part["read"] for seat in part["by"]]
    return ", ".join(dict.fromkeys(shown))


def _vetoes_ungrounded(reading: Overview) -> str:
    """Return whose veto has no ground, with confidence as it was cast, as text (R8, R40)."""
    became = became_of_items(reading.record)
    cast = [each for each in raised_items(reading.record) if each.fix is None and not each.fact["withheld"]]
    return ", ".join(f"{each.seat} ({each.key})" for each in cast if became[each.key] == UNGROUNDED)


def _unshown(reading: Overview) -> str:
    """Return how many files nobody has read, as text (R45)."""
    count = unread(reading).get("count", 0)
    return f"{count} file{' was' if count == 1 else 's were'} read by nobody, wholly or in part"


def _remaining(opened: Open) -> str:
    waiting = [each.finding for each in opened.raised if each.became == WITHHELD]
    blocking = [each.finding for each in opened.raised if each.finding.blocking]
    blocking += [each for each in opened.dismissed if each.blocking]
    blocking = [each for each in blocking if each not in waiting]
    if not blocking:
        return "no fix item remains"
    sources = [finding.source for finding in blocking]
    of = {"check": "of the checks", "committee": "of the committee", "claim": "of claims"}
    counted = [f"{sources.count(source)} {words}" for source, words in of.items() if source in sources]
    remain = "1 fix item remains" if len(blocking) == 1 else f"{len(blocking)} fix items remain"
    return f"{remain}: {', '.join(counted)}"


def warnings(reading: Overview, opened: Open) -> list[str]:
    """Return the warnings that accompany the result."""
    return list(_warnings(reading, opened))


def _warnings(reading: Overview, opened: Open) -> Iterator[str]:
    conclusion, state = reading.record.session.conclusion, reading.state
    if silent := _last_fact(reading, "majority-abstain"):
        yield f"majority-abstain: {silent['silent']} of {silent['members']} members abstained or were absent (R11)"
    if few := _last_fact(reading, "few-voted"):
        yield f"{few['voted']} of {few['members']} members voted, and a quorum takes {few['needed']} (R10)"
    if notes := reading.settings.unqualified_seats:
        yield f"what {', '.join(notes)} said is a note: {WHY} (R48)"
    if opposed := _opposed(reading):
        yield opposed
    yield from vetoes_withheld(reading)
    if conclusion is not None and conclusion.degradation is not Degradation.NONE:
        yield f"degraded {conclusion.degradation.value}: {_missing(reading)} (R30)"
    if reading.cut_short is not None and conclusion is not None and reading.cut_short.said:
        yield "the last ballot was cut short and decided nothing; what was said in it is kept as notes (R29)"
    ungrounded = sum(each.became == UNGROUNDED for each in opened.raised)
    if ungrounded:
        one = "1 finding quotes" if ungrounded == 1 else f"{ungrounded} findings quote"
        told = f"; a veto among them: {vetoes}" if (vetoes := _vetoes_ungrounded(reading)) else ""
        yield f"{one} evidence that was not found in the change; shown, and not counted against it (R40){told}"
    if conclusion is not None and unread(reading):
        named = _named(unread(reading), MOST_NAMED)
        yield f"{_unshown(reading)}, so the change as a whole cannot be approved (R45): {named}"
        if seats := _without_holder(reading):
            yield f"{seats} read what vetoes are about, which a veto holder has to read, and none of them did (R45)"
    if conclusion is not None and (small := _shown_in_part(reading)):
        yield f"{small} saw the change in part, since the window is small: lower `persona_tokens` to divide it (R45)"
    if state.claims and not state.judged:
        yield "the acceptance claims were not judged"
    if opened.dismissed:
        yield f"{len(opened.dismissed)} findings were raised again although they have been dismissed"


def heading(reading: Overview) -> list[str]:
    """Return what the first line of the report says beside the verdict: vetoes withheld, dissent, silence, exams."""
    voters = [str(member.seat) for member in reading.state.members]
    held, members = len(vetoes_withheld(reading)), len(reading.state.members)
    vetoes = "a veto" if held == 1 else f"{held} vetoes"
    opposed, silent = len(_outvoted(reading)), _last_fact(reading, "majority-abstain")
    return [
        *([f"{vetoes} withheld for low confidence"] if held else []),
        *([f"{opposed} of {members} opposed"] if opposed else []),
        *([f"{silent['silent']} of {members} abstained or were absent"] if silent else []),
        *heading_words(voters, reading.settings.unqualified_seats),
    ]


def vetoes_withheld(reading: Overview) -> list[str]:
    """Return whose veto was withheld for low confidence and what became of it, whatever that was (R38)."""
    became, found = became_of_items(reading.record), list[str]()
    for each in raised_items(reading.record):
        if each.fact["withheld"] and each.ballot is not None:
            who, word = f"{each.seat}, {each.ballot.confidence}", SETTLED[became[each.key]]
            found.append(f"a veto was withheld for low confidence ({who}); {word} ({each.key}, R38)")
    return found


def _outvoted(reading: Overview) -> dict[str, str]:
    """Return by member what was said against the change and outvoted; vetoes withheld are told apart (R38, R41)."""
    said = [each for each in reservations(reading.record) if each.became == OUTVOTED and not each.withheld]
    return {
        str(each.seat): f'{each.seat} ({each.key}, confidence {each.ballot.confidence}): "{_words(each.ballot)}"'
        for each in said
    }


def _words(ballot: Ballot) -> str:
    return clip(ballot.opinion.text, MOST_WORDS)


def _opposed(reading: Overview) -> str:
    """Return who opposed and was outvoted, with the first words; empty if nobody did (R41)."""
    said = _outvoted(reading)
    were = "was" if len(said) == 1 else "were"
    told = f"{len(said)} of {len(reading.state.members)} opposed and {were} outvoted (R41): {'; '.join(said.values())}"
    return told if said else ""


def _last_fact(reading: Overview, name: str) -> dict[str, Any] | None:
    """Return what the last ballot that was held told under a name; None if nothing."""
    return next(reading.held[-1].facts(name), None) if reading.held else None


def _missing(reading: Overview) -> str:
    """Return who was missing at the end (R30)."""
    state = reading.state
    parts = []
    if state.checked in (Checked.FAILED, Checked.NOT_YET):
        parts.append("the checks gave no result")
    if state.absent and reading.held:
        gone = reading.held[-1].absent("ballot")
        parts.append("absent: " + ", ".join(f"{seat} ({reason})" for seat, reason in gone.items()))
    if reading.settings.narrow and state.deserted:
        parts.append("nobody whose word counts has answered")
    elif reading.settings.narrow and state.absent:
        parts.append("some of the change was answered for by nobody")
    elif state.deserted:
        parts.append(f"fewer members than {reading.settings.attendance} gave a ballot")
    if state.missing:
        parts.append("the skeptic or the chair was done without")
    return "; ".join(parts)
