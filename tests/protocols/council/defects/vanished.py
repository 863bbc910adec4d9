"""Planted defects of the council by which something vanishes, or is approved unseen: at least 20 for each promise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.protocol import Protocol
from quorate.core.types import Replies, Seat
from quorate.protocols.council.rules.forms import Assessment, Coverage, GateReport, GateRun
from quorate.protocols.council.rules.model import (
    Join,
    Outcome,
    Phase,
    Resolution,
    State,
    Step,
    Verdict,
    finding_key,
)
from quorate.protocols.council.rules.taxonomy import BY_CODE, Gate, Severity
from tests.protocols.council.defects.planted import after_step, concluding
from tests.verify.planted import Defect, P, asking, deciding

Made = Decision[State]
Change = Callable[[State], State]
STEPS: Mapping[str, tuple[Phase, Step]] = {
    "with the gates' report": (Phase.CYCLE_1, Step.EXAMINE),
    "with the reviews": (Phase.CYCLE_1, Step.REVIEW),
    "when texts are matched": (Phase.CYCLE_1, Step.MATCH),
    "with the assessments": (Phase.CYCLE_2, Step.ASSESS),
    "when texts are matched again": (Phase.CYCLE_2, Step.MATCH),
    "with the answers": (Phase.CYCLE_2, Step.RESPOND),
    "when lenses are bound": (Phase.CYCLE_2, Step.BIND),
    "in the final attempt": (Phase.CYCLE_3, Step.REMEDIATE),
    "with the votes": (Phase.CYCLE_3, Step.VOTE),
}


def at(when: str, change: Callable[[State, Replies, Made], Made]) -> Defect:
    return after_step(*STEPS[when], change)


def state(change: Change) -> Callable[[State, Replies, Made], Made]:
    return lambda _, __, made: replace(made, state=change(made.state))


# Every finding raised has exactly one fate


def findings(change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Change:
    return lambda after: replace(after, findings=change(after.findings)) if after.findings else after


def joined_to(after: State, into: int) -> State:
    """The last finding is noted as part of another, and is gone from the ledger."""
    if not after.findings:
        return after
    *rest, gone = after.findings
    return replace(after, findings=tuple(rest), joined=(*after.joined, Join(gone.key, finding_key(into))))


LOSSES: Mapping[str, Change] = {
    "the first finding is dropped": findings(lambda each: each[1:]),
    "the last finding is dropped": findings(lambda each: each[:-1]),
    "a finding stands twice": findings(lambda each: (*each, each[0])),
    "a number is skipped": lambda after: replace(after, raised=after.raised + 1),
    "a number is forgotten": lambda after: replace(after, raised=max(0, after.raised - 1)),
    "a finding becomes part of one that nobody raised": lambda after: joined_to(after, after.raised + 1),
}
FATES = {
    f"{what} {when}": at(when, state(change))
    for what, change in LOSSES.items()
    for when in ("with the reviews", "with the assessments", "with the answers", "with the votes")
}


# No severity falls without a vote


def milder(of: Severity, into: Severity) -> Change:
    return findings(lambda all_: tuple(replace(e, severity=into) if e.severity is of else e for e in all_))


def dismissed(after: State) -> State:
    found = tuple(replace(each, resolution=Resolution.DISMISSED) for each in after.findings)
    return replace(after, findings=found)


FALLS: Mapping[str, Change] = {
    "a BLOCKER becomes MAJOR": milder(Severity.BLOCKER, Severity.MAJOR),
    "a BLOCKER becomes MINOR": milder(Severity.BLOCKER, Severity.MINOR),
    "a MAJOR becomes MINOR": milder(Severity.MAJOR, Severity.MINOR),
    "everything is dismissed": dismissed,
}
SEVERITIES = {
    f"{what} {when}": at(when, state(change))
    for what, change in FALLS.items()
    for when in (
        "when texts are matched",
        "with the assessments",
        "with the answers",
        "when lenses are bound",
        "in the final attempt",
    )
}


# No approval while something was shown to nobody


def covered(after: State) -> State:
    return replace(after, covered=True)


def covered_if(holds: Callable[[Coverage | None, State], bool]) -> Defect:
    """What nobody was shown does not matter under some condition."""

    def change(before: State, heard: Replies, made: Made) -> Made:
        said = next((reply for _, reply in heard if isinstance(reply, Coverage)), None)
        return replace(made, state=covered(made.state)) if holds(said, made.state) else made

    return at("when texts are matched again", change)


def untold(keep: Callable[[int, Any], bool]) -> Defect:
    """Some of what nobody was shown is not told."""

    def change(before: State, heard: Replies, made: Made) -> Made:
        places = [index for index, fact in enumerate(made.facts) if fact.name == "unshown"]
        gone = {index for number, index in enumerate(places) if not keep(number, made.facts[index])}
        return replace(made, facts=tuple(f for index, f in enumerate(made.facts) if index not in gone))

    return at("when texts are matched again", change)


def left(said: Coverage | None) -> int:
    return -1 if said is None else len(said.unshown)


def approved(holds: Callable[[State], bool], into: Verdict = Verdict.APPROVED) -> Defect:
    return concluding(
        lambda after, verdict: into if verdict is Verdict.NEEDS_ADJUDICATION and holds(after) else verdict
    )


COVERAGE = {f"all counts as shown {when}": at(when, state(covered)) for when in STEPS} | {
    "without the word of code all counts as shown": covered_if(lambda said, _: said is None),
    "one thing that nobody was shown does not matter": covered_if(lambda said, _: left(said) == 1),
    "two things that nobody was shown do not matter": covered_if(lambda said, _: left(said) == 2),
    "up to two things do not matter": covered_if(lambda said, _: 0 < left(said) <= 2),
    "where a seat is lost nothing has to be shown": covered_if(lambda _, s: any(e.lost for e in s.seats)),
    "where nothing was found nothing has to be shown": covered_if(lambda _, s: not s.findings),
    "where all judged nothing has to be shown": covered_if(lambda _, s: all(e.judged for e in s.seats)),
    "where nobody judged nothing has to be shown": covered_if(lambda _, s: not any(e.judged for e in s.seats)),
    "nothing of it is told": untold(lambda _, __: False),
    "the first of it is not told": untold(lambda number, _: number > 0),
    "only the first of it is told": untold(lambda number, _: number == 0),
    "what nobody was shown is approved": approved(lambda after: not after.covered),
    "what nobody was shown is approved with remediation": approved(
        lambda after: not after.covered, Verdict.APPROVED_WITH_REMEDIATION
    ),
    "what a clean council was not shown is approved": approved(lambda s: not s.covered and not s.findings),
    "nobody asks what was shown, and all was": lambda protocol: deciding(
        Phase.CYCLE_2, lambda s, _, made: replace(made, state=covered(made.state)) if s.step is Step.MATCH else made
    )(asking(Phase.CYCLE_2, lambda s, asks: tuple(a for a in asks if a.brief != "cover"))(protocol)),
}


# No approval over a finding that nobody could answer

AFTER = ("when texts are matched again", "with the answers", "when lenses are bound", "in the final attempt")


def answerable_if(holds: Callable[[Coverage, State], bool]) -> Defect:
    """A finding that was refused does not matter under some condition."""

    def change(before: State, heard: Replies, made: Made) -> Made:
        said = next((reply for _, reply in heard if isinstance(reply, Coverage)), None)
        forgets = said is not None and holds(said, made.state)
        return replace(made, state=replace(made.state, refused=0)) if forgets else made

    return at("when texts are matched again", change)


REFUSED = (
    {f"a refusal is made up {when}": at(when, state(lambda s: replace(s, refused=s.refused + 1))) for when in STEPS}
    | {
        f"what was refused is forgotten {when}": at(when, state(lambda s: replace(s, refused=0)))
        for when in (*AFTER, "with the votes")
    }
    | {
        "where all was shown a refused finding does not matter": answerable_if(lambda said, _: not said.unshown),
        "where nothing was found a refused finding does not matter": answerable_if(lambda _, s: not s.findings),
        "where all judged a refused finding does not matter": answerable_if(
            lambda _, s: all(each.judged for each in s.seats)
        ),
        "what was refused is approved": approved(lambda s: s.refused > 0),
        "what was refused is approved with remediation": approved(
            lambda s: s.refused > 0, Verdict.APPROVED_WITH_REMEDIATION
        ),
        "what was refused of a clean council is approved": approved(lambda s: s.refused > 0 and not s.findings),
    }
)


# No approval that nobody judged


def judging(who: Callable[[State, Any], bool]) -> Change:
    return lambda after: replace(
        after, seats=tuple(replace(each, judged=each.judged or who(after, each)) for each in after.seats)
    )


def everybody(after: State, each: Any) -> bool:
    return True


def the_first(after: State, each: Any) -> bool:
    return bool(each.seat == Seat("SA-1"))


def who_abstains(before: State, heard: Replies, made: Made) -> Made:
    seats = {ask.seat for ask, reply in heard if isinstance(reply, Assessment)}
    return replace(made, state=judging(lambda _, each: each.seat in seats)(made.state))


JUDGED = (
    {f"everybody has judged {when}": at(when, state(judging(everybody))) for when in STEPS}
    | {
        f"SA-1 has judged {when}": at(when, state(judging(the_first)))
        for when in ("with the gates' report", "with the reviews", "with the assessments", "when lenses are bound")
    }
    | {
        "who abstains from every gate has judged": at("with the assessments", who_abstains),
        "a lost seat has judged": at("with the assessments", state(judging(lambda _, each: each.lost))),
        "there is no gate to assess": at(
            "with the gates' report", state(lambda after: replace(after, assessable=False))
        ),
        "gates need no assessment after the reviews": at(
            "with the reviews", state(lambda after: replace(after, assessable=False))
        ),
        "what nobody judged is approved": approved(lambda s: not any(each.judged for each in s.seats) and s.covered),
        "what one of three judged is approved": approved(
            lambda s: sum(each.judged for each in s.seats) == 1 < len(s.seats) and s.covered
        ),
        "what a seat alone did not judge is approved": approved(
            lambda s: len(s.seats) == 1 and not s.seats[0].judged and s.covered
        ),
        "what nobody judged is approved with remediation": approved(
            lambda s: not any(each.judged for each in s.seats), Verdict.APPROVED_WITH_REMEDIATION
        ),
        "what nobody judged is approved where nothing is found": approved(
            lambda s: not any(each.judged for each in s.seats) and not s.findings
        ),
    }
)


# No gate passes on nothing

Reads = Callable[[State, GateReport, int, GateRun], bool]


def taken_as_read(which: Reads) -> Defect:
    """A gate that passed and had read nothing counts as if it had read something."""

    def plant(protocol: P) -> P:
        decide = protocol.nodes[Phase.CYCLE_1].decide

        def heard(now: State, reply: Any) -> Any:
            if not isinstance(reply, GateReport):
                return reply
            runs = enumerate(reply.gates)
            read = tuple(replace(run, read=run.read or which(now, reply, place, run)) for place, run in runs)
            return replace(reply, gates=read)

        def change(now: State, replies: Replies) -> Made:
            return decide(now, Replies(tuple((ask, heard(now, reply)) for ask, reply in replies)))

        node = replace(protocol.nodes[Phase.CYCLE_1], decide=change)
        made: Protocol[Any] = replace(protocol, nodes={**protocol.nodes, Phase.CYCLE_1: node})
        return made

    return plant


def examined_anyway(outcome: Outcome) -> Defect:
    def change(before: State, heard: Replies, made: Made) -> Made:
        empty = made.outcome is Outcome.NO_GATES and any(isinstance(reply, GateReport) for _, reply in heard)
        after = replace(made.state, step=Step.REVIEW, tickets=2)
        return Decision(outcome, after) if empty else made

    return at("with the gates' report", change)


WHICH: Mapping[str, Reads] = {
    "a gate that read nothing passes": lambda *_: True,
    "a gate for seats passes on nothing": lambda _, __, ___, run: run.gate not in BY_CODE,
    "a gate of code passes on nothing": lambda _, __, ___, run: run.gate in BY_CODE,
    "SCHEMA passes on nothing": lambda _, __, ___, run: run.gate is Gate.SCHEMA,
    "ATOMICITY passes on nothing": lambda _, __, ___, run: run.gate is Gate.ATOMICITY,
    "the first gate passes on nothing": lambda _, __, place, ___: place == 0,
    "the last gate passes on nothing": lambda _, report, place, __: place == len(report.gates) - 1,
    "all but the first gate pass on nothing": lambda _, __, place, ___: place > 0,
    "all but the last gate pass on nothing": lambda _, report, place, __: place < len(report.gates) - 1,
    "beside a gate that read one passes on nothing": lambda _, report, __, ___: any(e.read for e in report.gates),
    "where no gate read they pass on nothing": lambda _, report, __, ___: not any(e.read for e in report.gates),
    "a gate alone passes on nothing": lambda _, report, __, ___: len(report.gates) == 1,
    "one of several gates passes on nothing": lambda _, report, __, ___: len(report.gates) > 1,
    "without findings a gate passes on nothing": lambda _, report, __, ___: not report.findings,
    "with findings a gate passes on nothing": lambda _, report, __, ___: bool(report.findings),
    "where there are tickets a gate passes on nothing": lambda _, report, __, ___: report.tickets > 0,
    "before one seat a gate passes on nothing": lambda now, *_: len(now.seats) == 1,
    "before three seats a gate passes on nothing": lambda now, *_: len(now.seats) == 3,
}
GATES = {name: taken_as_read(which) for name, which in WHICH.items()} | {
    "a report in which a gate passed on nothing counts": examined_anyway(Outcome.EXAMINED),
    "a report in which a gate passed on nothing ends the council": examined_anyway(Outcome.GATE_FAILED),
}
PLANTED: Mapping[str, Mapping[str, Defect]] = {
    "every finding raised has exactly one fate": FATES,
    "no severity falls without a vote": SEVERITIES,
    "no approval while something was shown to nobody": COVERAGE,
    "no approval over a finding that nobody could answer": REFUSED,
    "no approval that nobody judged": JUDGED,
    "no gate passes on nothing": GATES,
}
"""The defects by the promise that they break."""
