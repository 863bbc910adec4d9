"""Planted defects of the roundtable that are made by hand: on the roundtable as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.forms import Key
from quorate.core.protocol import Degradation, When
from quorate.core.record import Record, Said
from quorate.core.types import Absent, AbsentReason, Ask, Question, Reason, Replies
from quorate.core.view import View
from quorate.protocols.roundtable.rules.forms import (
    Appended,
    Clarified,
    Intent,
    Manner,
    Reading,
    Recorded,
    Synthesis,
    Turn,
    Utterance,
    Written,
)
from quorate.protocols.roundtable.rules.interrupts import INTERRUPTS
from quorate.protocols.roundtable.rules.model import (
    CLASSIFIER,
    CLERK,
    PERSON,
    USER,
    Outcome,
    Phase,
    State,
    Step,
    Verdict,
)
from tests.verify.planted import Defect, P, asking, briefs, deciding, interrupting, more, showing

D = Decision[State]
Change = Callable[[State, Replies, D], D]
LOOP = Phase.DISCUSSION_LOOP


def state(made: D, **changes: Any) -> D:
    return replace(made, state=replace(made.state, **changes))


def outcome(made: D, other: Outcome, **changes: Any) -> D:
    return replace(state(made, **changes), outcome=other, because=())


def said(heard: Replies) -> object:
    return heard.pairs[0][1] if heard.pairs else None


def at(step: Step, change: Change, phase: Phase = LOOP) -> Defect:
    """A defect in the decision of one step."""
    return deciding(phase, lambda before, heard, made: change(before, heard, made) if before.step is step else made)


# Turns


def reads_the_words(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    return outcome(made, Outcome.EXIT_REQUESTED) if isinstance(reply, Turn) and "done" in reply.text.text else made


def one_too_many(before: State, heard: Replies, made: D) -> D:
    """The limit is noticed one turn late."""
    if made.outcome is not Outcome.LAST_WORD:
        return made
    return outcome(made, Outcome.SPOKE, step=Step.LISTEN)


def warned_again(before: State, heard: Replies, made: D) -> D:
    if made.outcome is not Outcome.PASSED:
        return made
    return replace(made, facts=(*made.facts, Fact.of("turn warning", turn=made.state.turn, limit=4)))


def not_warned(before: State, heard: Replies, made: D) -> D:
    return replace(made, facts=tuple(fact for fact in made.facts if fact.name != "turn warning"))


def exit_costs(before: State, heard: Replies, made: D) -> D:
    return state(made, turn=made.state.turn + 1) if made.outcome is Outcome.EXIT_REQUESTED else made


def silence_costs(before: State, heard: Replies, made: D) -> D:
    return state(made, turn=before.turn + 1, free=0) if made.outcome is Outcome.SILENT else made


def silence_is_always_free(before: State, heard: Replies, made: D) -> D:
    if made.outcome is not Outcome.ASKED_BACK or not made.state.spoken:
        return made
    return outcome(made, Outcome.SILENT, step=Step.LISTEN, free=before.free)


def silence_ends(before: State, heard: Replies, made: D) -> D:
    return outcome(made, Outcome.INACTIVE, step=Step.SYNTHESISE, queue=()) if made.outcome is Outcome.SILENT else made


def passing_costs_a_turn(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    passed = isinstance(reply, Utterance) and reply.manner is Manner.PASS
    return state(made, turn=before.turn + 1, free=0) if passed and made.outcome is Outcome.PASSED else made


def anybody_redirects(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    if isinstance(reply, Utterance) and reply.manner is Manner.REDIRECT and made.outcome is Outcome.SPOKE:
        return outcome(made, Outcome.REDIRECTED, turn=before.turn, free=before.free + 1)
    return made


def answers_last(before: State, heard: Replies, made: D) -> D:
    if not made.state.addressed:
        return made
    return state(made, queue=(*made.state.queue[1:], made.state.queue[0]))


def one_answers_for_all(before: State, heard: Replies, made: D) -> D:
    return state(made, queue=made.state.queue[:1]) if made.state.group else made


def twice_in_a_round(before: State, heard: Replies, made: D) -> D:
    return state(made, queue=(*made.state.queue, made.state.queue[0])) if made.outcome is Outcome.READ else made


def the_person_is_left_out(before: State, heard: Replies, made: D) -> D:
    """After the last persona the first one has the word again."""
    if made.outcome is Outcome.SPOKE and made.state.step is Step.LISTEN:
        return state(made, step=Step.SPEAK, queue=before.queue)
    return made


def words_without_a_speaker(before: State, heard: Replies, made: D) -> D:
    spoken = (*before.spoken, *(key for key in ("solutions-architect",) if key not in before.spoken))
    return state(made, spoken=spoken) if made.outcome is Outcome.PASSED else made


def user_spoke_in_silence(before: State, heard: Replies, made: D) -> D:
    return state(made, spoken=(*made.state.spoken, USER)) if made.outcome is Outcome.SILENT else made


def last_words_are_lost(before: State, heard: Replies, made: D) -> D:
    """Only what is read as a contribution counts as said."""
    return state(made, spoken=before.spoken) if made.outcome is Outcome.HEARD else made


def an_exit_is_a_word(before: State, heard: Replies, made: D) -> D:
    new = USER not in made.state.spoken
    return state(made, spoken=(*made.state.spoken, USER)) if made.outcome is Outcome.HEARD and new else made


def passes_in_silence(before: State, heard: Replies, made: D) -> D:
    return replace(made, facts=tuple(fact for fact in made.facts if fact.name != "nothing to add"))


def disagrees_with_a_ghost(before: State, heard: Replies, made: D) -> D:
    facts = tuple(replace(f, name="disagreement") if f.name == "challenge dropped" else f for f in made.facts)
    return replace(made, facts=facts)


def silence_by_classifier(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    if isinstance(reply, Reading) and reply.intent is Intent.SILENCE and made.outcome is Outcome.READ:
        return outcome(made, Outcome.SILENT, turn=before.turn, spoken=before.spoken)
    return made


def asks_back_for_ever(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    if isinstance(reply, Clarified) and made.outcome is Outcome.READ:
        return outcome(made, Outcome.ASKED_BACK, **{name: getattr(before, name) for name in FIELDS})
    return made


FIELDS = ("turn", "step", "queue", "addressed", "group", "free", "spoken")


def excuses_a_refusal(before: State, heard: Replies, made: D) -> D:
    """A persona that refused is not missing."""
    reply = said(heard)
    refused = isinstance(reply, Absent) and reply.reason is AbsentReason.REFUSED
    return state(made, missing=before.missing) if refused else made


def keeps_prose(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    return state(made, targets=(reply.says,)) if isinstance(reply, Utterance) else made


def everybody_is_asked(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    """All who wait for the word are asked at once."""
    if not before.queue or len(asked) != 1:
        return asked
    return tuple(replace(asked[0], seat=seat, keys=()) for seat in before.queue)


def the_person_reads(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(replace(each, seat=PERSON) if each.seat == CLASSIFIER else each for each in asked)


def challenges_itself(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(replace(each, keys=(*each.keys, Key(each.seat))) if each.form is Utterance else each for each in asked)


# What comes of it


def harvests_blanks(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    if isinstance(reply, Synthesis) and any(item.blank for item in reply.insights):
        return outcome(made, Outcome.SYNTHESISED, step=Step.APPEND, targets=("D1",))
    return made


def words_are_not_summed_up(before: State, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    """The lead is asked only where a turn was spent after the framing."""
    return () if before.turn <= 1 and before.step is Step.SYNTHESISE else asked


def tries_for_ever(before: State, heard: Replies, made: D) -> D:
    return state(made, tries=0) if made.outcome is Outcome.RETRY else made


def adds_without_a_synthesis(before: State, heard: Replies, made: D) -> D:
    if made.outcome is not Outcome.SUMMARISED or made.state.turn < 2:
        return made
    return outcome(made, Outcome.SYNTHESISED, step=Step.APPEND, targets=("D1",))


def no_record_of_the_short(before: State, heard: Replies, made: D) -> D:
    """An immediate exit goes straight to the end."""
    return outcome(made, Outcome.NOTHING_SAID) if made.outcome is Outcome.SUMMARISED and before.turn == 1 else made


def trusts_the_clerk(before: State, heard: Replies, made: D) -> D:
    """What the clerk does not report was written."""
    return made if isinstance(said(heard), Appended) else state(made, unkept=before.unkept)


def missing_is_failed(before: State, heard: Replies, made: D) -> D:
    reply = said(heard)
    gone = isinstance(reply, Appended) and any(entry.result is Written.MISSING for entry in reply.documents)
    return state(made, unkept=True) if gone else made


def names_the_unheard(before: State, heard: Replies, made: D) -> D:
    return replace(made, facts=tuple(fact for fact in made.facts if fact.name != "attribution dropped"))


def keeps_the_talk(before: State, heard: Replies, made: D) -> D:
    return state(made, turn=before.turn) if made.outcome is Outcome.RECORDED else made


def forgets_losses(before: State, heard: Replies, made: D) -> D:
    return state(made, missing=False) if made.outcome is Outcome.RECORDED else made


def keeps_no_record(before: State, heard: Replies, made: D) -> D:
    return replace(made, facts=()) if not isinstance(said(heard), Recorded) else made


def comes_back_after_a_wish(before: State, heard: Replies, made: D) -> D:
    return outcome(made, Outcome.RECORDED, leaving=False) if made.outcome is Outcome.CONCLUDED else made


# Menu and ends


def always_offers_e(before: State, heard: Replies, made: D) -> D:
    used = any(fact.name == "elaborations used up" for fact in made.facts)
    return outcome(made, Outcome.ELABORATE) if used else made


def skips_at_a_boundary(protocol: P) -> P:
    def skip(before: State, heard: Replies, made: D) -> D:
        reply = said(heard)
        wanted = getattr(getattr(reply, "choice", None), "name", "") == "SKIP"
        return outcome(made, Outcome.SKIP, skipped=True, texts=0) if wanted else made

    return deciding(Phase.MENU, skip)(protocol)


def endless_texts(before: State, heard: Replies, made: D) -> D:
    return state(made, texts=0) if made.outcome is Outcome.FEEDBACK else made


def absent_elaborates(before: State, heard: Replies, made: D) -> D:
    gone = isinstance(said(heard), Absent) and before.elaborations == 0
    return outcome(made, Outcome.ELABORATE) if gone else made


def framing_is_free(before: State, heard: Replies, made: D) -> D:
    return state(made, turn=0) if isinstance(said(heard), Absent) else made


def lead_answers_itself(before: State, heard: Replies, made: D) -> D:
    lead = next(iter(made.state.spoken), None)
    return made if lead is None else state(made, queue=(lead, *made.state.queue))


def always_skips(protocol: P) -> P:
    return replace(protocol, verdicts={**protocol.verdicts, Phase.LEFT: lambda _: Verdict.SKIP})


def wish_forgets(before: State, _: Replies) -> State:
    return replace(before, leaving=True, step=Step.SYNTHESISE, turn=0, queue=(), addressed=False, group=False, free=0)


def limit_asks_models(before: State, _: Replies) -> State:
    done = before.step in (Step.APPEND, Step.RECORD)
    step = before.step if done else Step.SYNTHESISE
    return replace(before, leaving=True, step=step, queue=(), addressed=False, group=False, free=0)


def limit_leaves_no_mark(before: State, _: Replies) -> State:
    """What a limit cuts short before or at the framing ends as if it were done."""
    folded = INTERRUPTS[Reason.BUDGET].fold(before, Replies(()))
    return replace(folded, missing=before.missing, step=Step.SYNTHESISE) if before.turn <= 1 else folded


def limit_aborts(before: State, _: Replies) -> State:
    """Every limit aborts."""
    return replace(INTERRUPTS[Reason.BUDGET].fold(before, Replies(())), step=Step.END)


def shows(brief: str, told: tuple[str, ...]) -> Defect:
    """A view that shows what was said to other briefs."""

    def change(record: Record, ask: Ask, seen: View) -> View:
        words = [str(line.reply) for line in record.log if isinstance(line, Said) and line.ask.brief in told]
        return more(seen, " ".join(words)) if words else seen

    return showing(brief, change)


def loses_sections(record: Record, ask: Ask, seen: View) -> View:
    return replace(seen, sections=tuple(each for each in seen.sections if each.title != "At the table"))


DEFECTS: Mapping[str, Defect] = {
    "the words are read by the decision": at(Step.LISTEN, reads_the_words),
    "the limit is noticed one turn late": at(Step.SPEAK, one_too_many),
    "the warning is given again": at(Step.SPEAK, warned_again),
    "the warning is never given": deciding(LOOP, not_warned),
    "the framing of three turns does not warn": deciding(Phase.TOPIC_FRAMING, not_warned),
    "an exit costs a turn": deciding(LOOP, exit_costs),
    "silence costs a turn": at(Step.LISTEN, silence_costs),
    "silence is always free": at(Step.LISTEN, silence_is_always_free),
    "the first silence ends the talk": at(Step.LISTEN, silence_ends),
    "passing costs a turn": at(Step.SPEAK, passing_costs_a_turn),
    "anybody redirects": at(Step.SPEAK, anybody_redirects),
    "who is addressed answers last": at(Step.READ, answers_last),
    "one answers for the group": at(Step.READ, one_answers_for_all),
    "a persona has the word twice in a round": at(Step.READ, twice_in_a_round),
    "the person is left out": at(Step.SPEAK, the_person_is_left_out),
    "who passes has spoken": at(Step.SPEAK, words_without_a_speaker),
    "who is silent has spoken": at(Step.LISTEN, user_spoke_in_silence),
    "words beside an exit were not said": at(Step.LISTEN, last_words_are_lost),
    "an exit alone was said": at(Step.LISTEN, an_exit_is_a_word),
    "who is asked passes in silence": at(Step.SPEAK, passes_in_silence),
    "one disagrees with somebody who said nothing": at(Step.SPEAK, disagrees_with_a_ghost),
    "the classifier hears silence in words": at(Step.CLASSIFY, silence_by_classifier),
    "the person is asked back for ever": at(Step.CLARIFY, asks_back_for_ever),
    "a persona that refuses is not missing": at(Step.SPEAK, excuses_a_refusal),
    "the state keeps prose": at(Step.SPEAK, keeps_prose),
    "all who wait for the word are asked at once": asking(LOOP, everybody_is_asked),
    "the person is asked to classify": asking(LOOP, the_person_reads),
    "a persona may challenge itself": asking(LOOP, challenges_itself),
    "a blank item is added to a document": at(Step.SYNTHESISE, harvests_blanks, Phase.SYNTHESIS),
    "words beside an exit are not summed up": asking(Phase.SYNTHESIS, words_are_not_summed_up),
    "the lead is asked for a synthesis for ever": at(Step.SYNTHESISE, tries_for_ever, Phase.SYNTHESIS),
    "documents are added to without a synthesis": at(Step.SYNTHESISE, adds_without_a_synthesis, Phase.SYNTHESIS),
    "an immediate exit leaves no record": at(Step.SYNTHESISE, no_record_of_the_short, Phase.SYNTHESIS),
    "what the clerk does not report was written": at(Step.APPEND, trusts_the_clerk, Phase.SYNTHESIS),
    "a missing document is a failure": at(Step.APPEND, missing_is_failed, Phase.SYNTHESIS),
    "words of those who said nothing are kept silently": at(Step.SYNTHESISE, names_the_unheard, Phase.SYNTHESIS),
    "the next talk goes on counting": deciding(Phase.STATE_PERSIST, keeps_the_talk),
    "a loss is forgotten at the menu": deciding(Phase.STATE_PERSIST, forgets_losses),
    "a record that failed is not told": deciding(Phase.STATE_PERSIST, keeps_no_record),
    "after a wish the menu comes again": deciding(Phase.STATE_PERSIST, comes_back_after_a_wish),
    "E is offered for ever": deciding(Phase.MENU, always_offers_e),
    "a phase is skipped at its end": skips_at_a_boundary,
    "texts at the menu never end": deciding(Phase.MENU, endless_texts),
    "who gives no answer at the menu elaborates": deciding(Phase.MENU, absent_elaborates),
    "a framing by code is free": deciding(Phase.TOPIC_FRAMING, framing_is_free),
    "the lead answers itself": deciding(Phase.TOPIC_FRAMING, lead_answers_itself),
    "every end is a skip": always_skips,
    "nothing degrades": lambda protocol: replace(protocol, degradation=lambda _: Degradation.NONE),
    "a wish forgets the talk": interrupting(Reason.WISH, fold=wish_forgets),
    "a wish aborts": interrupting(Reason.WISH, to=Phase.ABORTED),
    "a budget goes on asking models": interrupting(Reason.BUDGET, fold=limit_asks_models),
    "a limit at the framing leaves no mark": interrupting(Reason.BUDGET, fold=limit_leaves_no_mark),
    "every limit aborts": interrupting(Reason.BUDGET, fold=limit_aborts),
    "a cancelled session is summed up": interrupting(Reason.CANCELLED, to=Phase.SYNTHESIS),
    "a cancelled session goes on to the end of its phase": interrupting(Reason.CANCELLED, when=When.AFTER_PHASE),
    "a persona is shown the feedback at the menu": shows("speak", ("menu",)),
    "a persona is shown how a turn was read": shows("answer", ("read", "classify")),
    "the reader is shown the conversation": shows("read", ("speak", "answer")),
    "the clerk is shown the conversation": shows("append", ("speak", "answer", "turn")),
    "the keys of the table are not shown": showing("speak", loses_sections),
    "a brief has no text": briefs({"speak": "  "}),
    "a brief is used by nobody": briefs({"shout": "Shout."}),
    "a brief does not exist": briefs({"record": None}),
    "the clerk has no seat": lambda protocol: replace(protocol, seats=tuple(s for s in protocol.seats if s != CLERK)),
}
