"""The deliberation log: an entry for each step of a cycle, with what every seat did and said, and where it led."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.record import Moved, Said
from quorate.core.session import Cause
from quorate.core.types import Absent
from quorate.protocols.council.rules.answers import proposes
from quorate.protocols.council.rules.forms import (
    Answers,
    Application,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    Coverage,
    GateReport,
    GateRun,
    LastProposals,
    Matches,
    MockRun,
    Patch,
    ScoringTable,
)
from quorate.protocols.council.rules.replies import findings_in
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.taxonomy import GateStatus, GateType, gate_type

Points = list[str]


def deliberation(reading: Overview) -> list[dict[str, Any]]:
    """Return the log as plain data; seats come in a fixed order, not in order of arrival."""
    found: list[dict[str, Any]] = []
    heard: list[Said] = []
    for line in reading.record.log:
        match line:
            case Said():
                heard.append(line)
            case Moved(move, round_):
                words = [_words(reading, said) for said in sorted(heard, key=lambda said: str(said.ask.seat))]
                found.append(
                    {
                        "round": round_,
                        "state": move.phase.name,
                        "words": words,
                        "mediation": [],
                        "next": move.to.name,
                        "outcome": move.outcome.name,
                        "interrupted": move.cause is Cause.INTERRUPTED,
                    }
                )
                heard = []
            case _:
                continue
    return found


def _words(reading: Overview, said: Said) -> dict[str, Any]:
    """Return one seat's entry: what it did, summarised, and what it said, verbatim."""
    who = str(said.ask.seat)
    if isinstance(said.reply, Absent):
        return {"who": who, "act": f"absent when asked to {said.ask.brief} ({said.reply.reason.value})"} | _NOTHING
    act, text, points = _TELL[type(said.reply)](reading, said.reply)
    return {"who": who, "act": act, "text": text, "points": points}


_NOTHING: dict[str, Any] = {"text": "", "points": []}
Told = tuple[str, str, Points]


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _raised(reading: Overview, reply: Reply) -> Points:
    return [
        f"{each.severity.value} {each.subcategory.value} in {reading.rfc.name(each.place)}: {each.description}"
        for each in findings_in(reply)
    ]


def gate_word(run: GateRun) -> str:
    """Return the status word of a gate; one that only seats can judge is counted, not passed."""
    judged = gate_type(run.gate) is GateType.LLM_ASSISTED and run.status is GateStatus.PASSED
    return "COUNTED" if judged else run.status.value


def _reported(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, GateReport)
    runs = [f"{run.gate.value}: {gate_word(run)}. {run.reason}" for run in reply.gates]
    return f"the gates report {_number(len(reply.findings), 'finding')}", "", runs


def _matched(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Matches)
    pairs = [f"{pair.merged} is the same as {pair.kept}" for pair in reply.pairs]
    return f"the matcher names {_number(len(pairs), 'pair')} of texts that are alike", "", pairs


def _covered(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Coverage)
    points = [f"nobody was shown {reading.rfc.name(key)}" for key in reply.unshown]
    refused = f", and {_number(reply.refused, 'finding')} that did not fit the form" if reply.refused else ""
    return f"code names {_number(len(points), 'place')} that nobody was shown{refused}", "", points


def _reviewed(reading: Overview, reply: Any) -> Told:
    points = _raised(reading, reply)
    match reply:
        case ScoringTable():
            made, text = f"scores in {_number(len(reply.scores), 'row')}", reply.recommendation.text
        case MockRun():
            made, text = f"runs a mock implementation in {_number(len(reply.steps), 'step')}", reply.blockers.text
        case AssuranceTree():
            made, text = f"builds an assurance tree of {_number(len(reply.claims), 'claim')}", ""
        case _:
            raise AssertionError(reply)
    return f"{made} and raises {_number(len(points), 'finding')}", text, points


def _assessed(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Assessment)
    judged = [f"{each.gate.value}: {'PASSED' if each.passed else 'FAILED'}. {each.reason}" for each in reply.gates]
    raised = _raised(reading, reply)
    act = f"assesses with {reply.confidence.value} confidence and raises {_number(len(raised), 'finding')}"
    return act, "", [*judged, *raised]


def _answered(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Answers)

    def points() -> Iterator[str]:
        for key, each in reply.answers.items():
            severity = f" {each.severity.value}" if each.response.value == "SEVERITY" else ""
            yield f"{key} {each.response.value}{severity}: {each.reason}"
            if each.same_as:
                yield f"{key} is the same as {', '.join(each.same_as)}"
            if proposes(each.proposal):
                yield f"{key} remediation, {each.proposal.fix.value}: {each.proposal.remediation}"

    return f"answers {_number(len(reply.answers), 'finding')}", "", list(points())


def _bound(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Binding)
    uses = [f"{use.lens.value} at {reading.rfc.name(use.place)}: {use.observation}" for use in reply.uses]
    return "binds its lenses", "", uses


def _proposed(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, LastProposals)
    given = {key: each for key, each in reply.proposals.items() if proposes(each)}
    points = [f"{key} remediation, {each.fix.value}: {each.remediation}" for key, each in given.items()]
    return f"proposes {_number(len(points), 'remediation')} in the final attempt", "", points


def _voted(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Ballots)

    def told(key: Key) -> str:
        ballot = reply.votes[key]
        refutation = f" It quotes: {ballot.refutation}" if ballot.refuted else ""
        return f"{key} {ballot.vote.value}: {ballot.rationale}{refutation}"

    return f"votes on {_number(len(reply.votes), 'item')}", "", [told(key) for key in reply.votes]


def _patched(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Patch)
    return f"offers {_number(len(reply.edits), 'edit')}", reply.reason.text, []


def _applied(reading: Overview, reply: Any) -> Told:
    assert isinstance(reply, Application)
    points = [f"{key}: {each.name}, {each.value}" for key, each in reply.results.items()]
    return "the gates try the edits in a scratch copy", reply.notes.text, points


_TELL: dict[type[Reply], Callable[[Overview, Any], Told]] = {
    GateReport: _reported,
    Matches: _matched,
    Coverage: _covered,
    ScoringTable: _reviewed,
    MockRun: _reviewed,
    AssuranceTree: _reviewed,
    Assessment: _assessed,
    Answers: _answered,
    Binding: _bound,
    LastProposals: _proposed,
    Ballots: _voted,
    Patch: _patched,
    Application: _applied,
}
