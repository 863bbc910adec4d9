"""Planted defects of the promises of issue 18: every thing has one fate, nobody's sum is written, the person's word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Absent, AbsentReason, Question, Reason, Replies, Seat
from quorate.protocols.roundtable.rules.forms import Manner, Synthesis, Turn, Utterance
from quorate.protocols.roundtable.rules.interrupts import INTERRUPTS
from quorate.protocols.roundtable.rules.model import CLERK, PERSON, READER, USER, Outcome, Phase, State, Step
from tests.protocols.roundtable.defects.planted import D, at, outcome, said, state
from tests.verify.planted import Defect, P, asking, deciding, interrupting

LOOP = Phase.DISCUSSION_LOOP
Change = Callable[[State, Replies, D], D]


def both(*defects: Defect) -> Defect:
    def plant(protocol: P) -> P:
        for defect in defects:
            protocol = defect(protocol)
        return protocol

    return plant


# Fates


def untold(name: str) -> Defect:
    """A fact is never stated, in whichever phase."""

    def change(before: State, heard: Replies, made: D) -> D:
        return replace(made, facts=tuple(fact for fact in made.facts if fact.name != name))

    return both(*(deciding(phase, change) for phase in (LOOP, Phase.SYNTHESIS)))


def told_twice(name: str) -> Defect:
    def change(before: State, heard: Replies, made: D) -> D:
        return replace(made, facts=(*made.facts, *(fact for fact in made.facts if fact.name == name)))

    return both(*(deciding(phase, change) for phase in (LOOP, Phase.SYNTHESIS)))


def renamed(old: str, new: str) -> Defect:
    """What is told is another fate than the one it has."""

    def change(before: State, heard: Replies, made: D) -> D:
        return replace(made, facts=tuple(replace(f, name=new) if f.name == old else f for f in made.facts))

    return both(*(deciding(phase, change) for phase in (LOOP, Phase.SYNTHESIS)))


def disputed(value: Callable[[State, D], bool]) -> Change:
    return lambda before, heard, made: state(made, disputed=value(before, made))


def to_the_last(before: State, heard: Replies, made: D) -> D:
    """Every item is told to go to a document that there is not."""
    facts = (
        Fact.of("item kept", list=dict(f.values)["list"], document="D9") if f.name == "item kept" else f
        for f in made.facts
    )
    return replace(made, facts=tuple(facts))


def forgets_a_target(before: State, heard: Replies, made: D) -> D:
    return state(made, targets=made.state.targets[1:]) if made.state.step is Step.APPEND else made


def keeps_blanks(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    blank = isinstance(reply, Synthesis) and any(item.blank for item in reply.insights)
    return replace(made, facts=(*made.facts, Fact.of("item kept", list="insights", document="D1"))) if blank else made


def forgets_disputes(before: State, heard: Replies) -> State:
    return replace(INTERRUPTS[Reason.WISH].fold(before, heard), disputed=False)


FATES: Mapping[str, Defect] = {
    **{
        f"{name}: never told": untold(name)
        for name in (
            "disagreement",
            "challenge dropped",
            "disagreements settled",
            "disagreements left open",
            "item kept",
            "document added",
            "document missing",
            "document failed",
        )
    },
    **{
        f"{name}: told twice": told_twice(name)
        for name in ("disagreement", "challenge dropped", "disagreements settled", "item kept", "document added")
    },
    "a document that is missing is told to be added twice": both(told_twice("document missing")),
    "a disagreement is told to be dropped": renamed("disagreement", "challenge dropped"),
    "what is dropped is told to stand": renamed("challenge dropped", "disagreement"),
    "what is left open is told to be settled": renamed("disagreements left open", "disagreements settled"),
    "what is settled is told to be left open": renamed("disagreements settled", "disagreements left open"),
    "a disagreement never stands": deciding(LOOP, disputed(lambda before, made: False)),
    "a disagreement stands for ever": deciding(
        LOOP, disputed(lambda before, made: before.disputed or made.state.disputed)
    ),
    "a pass settles": at(
        Step.SPEAK, disputed(lambda before, made: made.state.disputed and made.outcome is not Outcome.PASSED)
    ),
    "a silence settles": at(
        Step.LISTEN, disputed(lambda before, made: made.state.disputed and made.outcome is not Outcome.SILENT)
    ),
    "an unknown command settles": at(
        Step.LISTEN, disputed(lambda before, made: made.state.disputed and made.outcome is not Outcome.NO_COMMAND)
    ),
    "an exit settles": deciding(
        LOOP, disputed(lambda before, made: made.state.disputed and made.outcome is not Outcome.EXIT_REQUESTED)
    ),
    "an item goes to a document that there is not": deciding(Phase.SYNTHESIS, to_the_last),
    "a document is forgotten": deciding(Phase.SYNTHESIS, forgets_a_target),
    "a blank item is kept": deciding(Phase.SYNTHESIS, keeps_blanks),
    "a wish settles": interrupting(Reason.WISH, fold=forgets_disputes),
}


# Nothing is written that nobody summed up


def writes(made: D) -> D:
    return outcome(made, Outcome.SYNTHESISED, step=Step.APPEND, targets=(Key("D1"),))


def written_without(reason: AbsentReason, tries: int = 1) -> Defect:
    """The lead gives no synthesis, for this reason, and something is written."""

    def change(before: State, heard: Replies, made: D) -> D:
        reply = said(heard)
        gone = isinstance(reply, Absent) and reply.reason is reason and before.tries >= tries
        return writes(made) if gone else made

    return at(Step.SYNTHESISE, change, Phase.SYNTHESIS)


def written_after(*outcomes: Outcome, when: Callable[[State], bool] = lambda before: True) -> Defect:
    def change(before: State, heard: Replies, made: D) -> D:
        return writes(made) if made.outcome in outcomes and not made.state.targets and when(before) else made

    return at(Step.SYNTHESISE, change, Phase.SYNTHESIS)


def straight_to_the_clerk(*outcomes: Outcome) -> Defect:
    """A talk that ends so goes to the documents at once."""

    def change(before: State, heard: Replies, made: D) -> D:
        return state(made, step=Step.APPEND, targets=(Key("D1"),)) if made.outcome in outcomes else made

    return deciding(LOOP, change)


def folded_to_the_clerk(reason: Reason) -> Defect:
    def fold(before: State, heard: Replies) -> State:
        after = INTERRUPTS[reason].fold(before, heard)
        return replace(after, step=Step.APPEND, targets=(Key("D1"),)) if before.turn > 1 else after

    return interrupting(reason, fold=fold)


def by_another(seat: str) -> Defect:
    """Somebody else than the lead is asked for the synthesis."""

    def change(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
        return tuple(replace(each, seat=Seat(seat)) if each.form is Synthesis else each for each in asked)

    return asking(Phase.SYNTHESIS, change)


def more_documents(before: State, heard: Replies, made: D) -> D:
    """What is summed up goes to every document."""
    keys = (Key("D1"), Key("D2"))
    return state(made, targets=keys) if made.outcome is Outcome.SYNTHESISED and made.state.targets != keys else made


SUMMED_UP: Mapping[str, Defect] = {
    **{f"the lead is absent ({reason.value}), and it is written": written_without(reason) for reason in AbsentReason},
    **{f"the lead was absent once ({r.value}), and it is written": written_without(r, tries=0) for r in AbsentReason},
    "only the framing was said, and it is written": written_after(
        Outcome.SUMMARISED, when=lambda before: before.turn <= 1 and not before.mechanical
    ),
    "a limit was hit, and it is written": written_after(Outcome.SUMMARISED, when=lambda before: before.mechanical),
    "nothing is to be added, and it is written": written_after(Outcome.NOTHING_TO_ADD),
    "nothing was said, and it is written": written_after(Outcome.NOTHING_SAID),
    "an exit goes to the clerk": straight_to_the_clerk(Outcome.EXIT_REQUESTED),
    "the limit goes to the clerk": straight_to_the_clerk(Outcome.LIMIT_REACHED),
    "silence goes to the clerk": straight_to_the_clerk(Outcome.INACTIVE),
    "a wish goes to the clerk": folded_to_the_clerk(Reason.WISH),
    "a budget goes to the clerk": folded_to_the_clerk(Reason.BUDGET),
    "a stall goes to the clerk": folded_to_the_clerk(Reason.STALL),
    "an episode limit goes to the clerk": folded_to_the_clerk(Reason.EPISODES),
    "the clerk sums up": by_another(CLERK),
    "the reader sums up": by_another(READER),
    "the person is asked to sum up": by_another(PERSON),
    "what is summed up goes everywhere": deciding(Phase.SYNTHESIS, more_documents),
}


# The person gets the word


def row(value: Callable[[State, D], int], *, when: Callable[[State, D], bool] = lambda before, made: True) -> Change:
    def change(before: State, heard: Replies, made: D) -> D:
        over = made.state.step is Step.SYNTHESISE
        return made if over or not when(before, made) else state(made, row=value(before, made))

    return change


def keeps_the_word(when: Callable[[State, D], bool]) -> Defect:
    """A persona goes on where the person has the word."""

    def change(before: State, heard: Replies, made: D) -> D:
        stays = made.state.step is Step.LISTEN and made.state.queue and when(before, made)
        return state(made, step=Step.SPEAK) if stays else made

    return at(Step.SPEAK, change)


def again(seat: int) -> Defect:
    """One persona has the word again where the person has it."""

    def plant(protocol: P) -> P:
        seats = protocol.seats

        def change(before: State, heard: Replies, made: D) -> D:
            mine = made.state.step is Step.LISTEN and before.queue[0] == seats[seat] and not made.state.queue
            return state(made, step=Step.SPEAK, queue=(seats[seat],)) if mine else made

        return at(Step.SPEAK, change)(protocol)

    return plant


def queue(change: Callable[[State, D], tuple[Seat, ...]], step: Step = Step.SPEAK) -> Defect:
    def changed(before: State, heard: Replies, made: D) -> D:
        return state(made, queue=change(before, made)) if made.state.step is not Step.SYNTHESISE else made

    return at(step, changed)


def asked_is_not_next(before: State, heard: Replies, made: D) -> D:
    named = any(fact.name == "asked by name" for fact in made.facts) and made.state.step is Step.SPEAK
    return state(made, queue=(*made.state.queue[1:], made.state.queue[0])) if named else made


def words_call_nobody(before: State, heard: Replies, made: D) -> D:
    """A question in words alone gives nobody the word."""
    reply, named = said(heard), [fact for fact in made.facts if fact.name == "asked by name"]
    if not named or not isinstance(reply, Utterance) or reply.asks:
        return made
    told = tuple(fact for fact in made.facts if fact not in named)
    return replace(state(made, addressed=False), facts=told)


def pass_asks(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    passes = isinstance(reply, Utterance) and reply.manner is Manner.PASS and reply.asks
    if not isinstance(reply, Utterance) or not passes:
        return made
    return replace(made, facts=(*made.facts, Fact.of("asked by name", by=before.queue[0], of=reply.asks[0])))


def command(change: Callable[[State, D], D]) -> Defect:
    def changed(before: State, heard: Replies, made: D) -> D:
        reply = said(heard)
        return change(before, made) if isinstance(reply, Turn) and reply.command and not reply.blank else made

    return at(Step.LISTEN, changed)


def ends(made: D) -> D:
    return outcome(made, Outcome.INACTIVE, step=Step.SYNTHESISE, queue=(), row=0, free=0)


def asks_nobody_back(before: State, heard: Replies, made: D) -> D:
    return ends(made) if made.state.step is Step.CONFIRM else made


def ends_anyway(before: State, heard: Replies, made: D) -> D:
    return ends(made) if made.outcome is Outcome.SILENT else made


def goes_on_anyway(before: State, heard: Replies, made: D) -> D:
    if made.outcome is not Outcome.INACTIVE:
        return made
    return outcome(made, Outcome.ASKED_BACK, **{name: getattr(before, name) for name in ("step", "queue", "free")})


def the_lead_first(before: State, heard: Replies, made: D) -> D:
    if made.outcome is not Outcome.SILENT or not before.queue:
        return made
    return state(made, queue=(*made.state.queue[1:], made.state.queue[0]))


def not_the_person(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    """Where the person has the word, the reader is asked."""
    return tuple(replace(each, seat=READER) if before.step is Step.LISTEN else each for each in asked)


def spoke(before: State, made: D) -> bool:
    return made.outcome is Outcome.SPOKE


WORD: Mapping[str, Defect] = {
    "what personas say is not counted": at(Step.SPEAK, row(lambda before, made: before.row, when=spoke)),
    "what personas say is counted from anew": at(Step.SPEAK, row(lambda before, made: 0)),
    "what personas say is counted twice": at(Step.SPEAK, row(lambda before, made: before.row + 2, when=spoke)),
    "a redirect is not counted": at(
        Step.SPEAK, row(lambda before, made: before.row, when=lambda _, made: made.outcome is Outcome.REDIRECTED)
    ),
    "a pass is counted from anew": at(
        Step.SPEAK,
        row(lambda before, made: 0, when=lambda before, made: made.outcome is Outcome.PASSED and before.row > 0),
    ),
    "a pass is counted": at(
        Step.SPEAK, row(lambda before, _: before.row + 1, when=lambda _, made: made.outcome is Outcome.PASSED)
    ),
    "the person's word does not end the row": at(Step.LISTEN, row(lambda before, made: before.row)),
    "the framing is not counted": deciding(Phase.TOPIC_FRAMING, row(lambda before, made: 0)),
    "the framing is counted twice": deciding(Phase.TOPIC_FRAMING, row(lambda before, made: 2)),
    "the person is passed over": keeps_the_word(lambda before, made: True),
    "the person is passed over after an address": keeps_the_word(lambda before, made: before.addressed),
    "the person is passed over once": keeps_the_word(lambda before, made: before.turn == 2),
    "the person is passed over before the last turn": keeps_the_word(lambda before, made: made.state.row < 3),
    "the person is passed over after a redirect": keeps_the_word(
        lambda before, made: made.outcome is not Outcome.SPOKE
    ),
    "the first persona keeps the word": again(0),
    "the second persona keeps the word": again(1),
    "somebody else is asked for the person": asking(LOOP, not_the_person),
    "who waits is forgotten": queue(lambda before, made: made.state.queue if made.state.step is Step.SPEAK else ()),
    "who waits is forgotten when the person speaks": queue(
        lambda before, made: () if made.outcome is Outcome.HEARD else made.state.queue, Step.LISTEN
    ),
    "who is asked by name is not next": at(Step.SPEAK, asked_is_not_next),
    "who is asked by name is not told": untold("asked by name"),
    "who is asked by name in words alone is not": at(Step.SPEAK, words_call_nobody),
    "who passes asks by name": at(Step.SPEAK, pass_asks),
    "after a silence the others come first": at(Step.LISTEN, the_lead_first),
    "a silence ends the talk unasked": deciding(LOOP, asks_nobody_back),
    "whoever goes on has ended the talk": at(Step.CONFIRM, ends_anyway),
    "whoever does not go on is asked for ever": at(Step.CONFIRM, goes_on_anyway),
    "an unknown command costs a turn": command(lambda before, made: state(made, turn=before.turn + 1, free=0)),
    "an unknown command is heard": command(
        lambda before, made: state(made, spoken=(*(key for key in before.spoken if key != USER), USER))
    ),
    "an unknown command is read": command(
        lambda before, made: outcome(made, Outcome.HEARD, step=Step.READ, free=before.free)
    ),
    "an unknown command is always free": command(
        lambda before, made: outcome(made, Outcome.NO_COMMAND, step=Step.LISTEN) if before.free else made
    ),
    "an unknown command makes the others go on": command(
        lambda before, made: state(made, queue=()) if before.queue else made
    ),
}
ALL: Mapping[str, Mapping[str, Defect]] = {"fates": FATES, "summed up": SUMMED_UP, "word": WORD}
