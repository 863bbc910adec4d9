"""Gauges of a debate: rounds, open questions to the person, and the judge's confidence."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record
from quorate.kit.gauges import Gauge, counter, number
from quorate.kit.settings import read_settings
from quorate.protocols.debate.rules.model import JUDGE, DebateSettings, Evaluation, State, Synthesis, Termination
from quorate.protocols.debate.rules.protocol import convinced

EVALUATIONS = ("evaluate-convergence", "evaluate-quality")
OF_WHAT = {Termination.CONVERGENCE: "that the texts agree", Termination.QUALITY: "that the texts are good enough"}


def gauges(record: Record) -> tuple[Gauge, ...]:
    """Return the gauges: rounds used, open questions, and the judge's confidence against the threshold."""
    state: State = record.session.state
    rounds = counter("rounds", "round", state.round, int(record.protocol.settings["rounds"]))
    return (rounds, *_questions(state), *_evaluation(record), *_confidence(record, state))


def _questions(state: State) -> Iterator[Gauge]:
    """Count the questions to the person before round 1; closed ones were answered or given up (D8)."""
    if state.issued:
        waiting = len(state.questions)
        parts = (("dealt with", state.issued - waiting), ("open", waiting))
        yield Gauge("questions", f"{waiting} of {number(state.issued, 'question')} open", state.issued, parts)


def _evaluation(record: Record) -> Iterator[Gauge]:
    """Show the judge's last evaluation, if evaluations can end the debate (D15 to D17)."""
    condition = read_settings(DebateSettings, record.protocol.settings).termination_condition
    said = record.latest(JUDGE, *EVALUATIONS)
    if condition.type is Termination.FIXED or said is None:
        return
    assert isinstance(said.reply, Evaluation)
    sure = said.reply.confidence
    ends = "which" if convinced(sure, condition).held else str(condition.threshold)
    words = f"round {said.round}: the judge is {sure} of 100 sure {OF_WHAT[condition.type]}; {ends} ends the debate"
    yield Gauge("evaluation", words, 100, (("confidence", sure),), needed=condition.threshold)


def _confidence(record: Record, state: State) -> Iterator[Gauge]:
    """Show the judge's confidence in its synthesis, capped as it counts (D19)."""
    said = record.latest(JUDGE, "synthesize")
    if not state.judged or said is None:
        return
    assert isinstance(said.reply, Synthesis)
    words = f"the judge is {state.confidence} of 100 sure of the solution"
    if state.confidence < said.reply.confidence:
        words += f"; it said {said.reply.confidence}, which unfulfilled major requirements cap"
    yield Gauge("confidence", words, 100, (("confidence", state.confidence),))
