"""Whether a person wants to end the conversation: only where that is what the turn is for.

A sentence is an exit where nothing but an exit is left once greetings, thanks, names and "I think" are taken away.
An exit that stands beside other things is doubtful, and so is one that is asked about. One that is negated ("not
done"), put off ("before we wrap up", "when it is done") or about something else ("done with the API", "back to the
API") is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import product

from quorate.protocols.roundtable.sentences import Sentence, phrases, vocabulary

MOST_WORDS = 15
"""Words of a turn in which an exit at the end of a sentence is still what the turn is for."""
MOST_CLAUSE = 40
"""Words of a clause that can be an exit with all its courtesies."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """The words that ask for an exit, and whether they leave a doubt."""

    words: str
    clear: bool


def _each(first: str, second: str) -> Iterable[str]:
    return (f"{one} {two}".strip() for one, two in product(first.split(", "), second.split(", ")))


_COMMAND = re.compile(r"\s*/(done|exit|quit|back|end|stop|wrap[ -]?up)\b[\s.!]*\Z", re.IGNORECASE)
_TALK = "discussion, session, roundtable, round table, conversation, meeting, elaboration, talk, chat"
_ENDING = "wrap up, end, exit, stop, finish, finish up, leave, close, conclude, quit"
_ACTIONS = ", ".join(
    (
        "wrap up, wrap-up, wrapup, wrap it up, wrap this up, wrap that up, wrap things up, wrap up here, exit, quit",
        "stop, stop here, stop there, stop this, end, end it, end this, end here, end there, end it here",
        "finish, finish up, finish it, finish this, finish here, conclude, leave, leave it here, leave it there",
        "leave it at that, call it a day, call it a night, back to the menu, back to menu, go back to the menu",
        "go back to menu, go to the menu, return to the menu, stop it here, close this, get out of here",
        *_each(_ENDING, ", ".join(_each("the, this, our", _TALK))),
        *(f"wrap {talk} up" for talk in _each("the, this, our", _TALK)),
    )
)
_DOING = phrases(_ACTIONS)
_POLITE = phrases("can we, could we, shall we, may we, can i, could i, may i, why don't we, how about we")
_OF_YOU = phrases("can you, could you, would you, will you")
_STATED = phrases(
    "let's, lets, let us, i want to, i'd like to, i would like to, i wanna, i'm going to, i am going to, i'll, i will",
    "we can, we could, we should, we may, you can, you may, time to, it's time to, it is time to, let me, i have to",
    "i need to, i must, we need to, we have to, i'm ready to, we're ready to, we are ready to, ready to, i suggest we",
    "i propose we, i suggest to, i'd say we, i've got to, we might as well, please",
)
_ASKED = phrases(
    "should we, do we, do you want to, do we want to, want to, are we ready to, can't we, shouldn't we, must we"
)
_BARE = phrases(
    "done, exit, quit, back, end, stop, finish, finished, leave, bye, goodbye, enough, wrap up, wrap-up, wrapup"
)
_STATES = phrases(
    *_each("i'm, im, i am, we're, we are, all, i'm all, we're all, we are all", "done, finished, through"),
    "that's all, thats all, that is all, that will be all, that'll be all, that's it for now, that's it for today",
    "that's everything, that is everything, that's all from me",
    "that is all from me, that's it from me, let's be done, that's it from my side",
    "that's all from my side, that's all i have, that's all i had, that's enough, that is enough, i've heard enough",
)
_OPEN = phrases(
    "move on, let's move on, moving on, next, next step, next topic, go back, let's go back, skip, continue, proceed",
    "i'm good, im good, we're good, all good, all set, i'm all set, we're all set, close, nothing else, nothing more",
    "nothing further, nothing to add, i have nothing else, i have nothing more, i have nothing to add, no questions",
    "nothing else from me, nothing more from me, no more questions, no further questions, i have no more questions",
    "that's it, thats it, that is it, are we done, are we done yet, are we finished",
    "am i done, is that all, is that it, are you done, done yet, c, s",
)
_STRONG = phrases(
    "wrap up, wrap it up, wrap this up, wrap things up, call it a day, leave it at that, leave it there, leave it here",
    *_each("we're, we are, i'm, i am", "done, finished"),
    *_each("let's, lets, let us", "stop, end, finish, exit, leave, quit, conclude"),
    *_each("end, stop, exit, leave, finish, conclude, close", ", ".join(_each("the, this, our", _TALK))),
)
_BEFORE = phrases(
    "ok, okay, alright, all right, right, great, good, cool, nice, perfect, fine, excellent, thanks, thank you, thx",
    "cheers, yes, yeah, yep, yup, sure, well, so, now, then, and, but, hmm, um, hey, hi, hello, please, anyway, oh",
    "i think, i guess, i believe, i suppose, i'd say, i feel, never mind, agreed, exactly, good point, good points",
    "great points, great discussion, good discussion, great talk, thanks a lot, many thanks, thank you very much",
    "in that case, super, just",
    "everyone, everybody, all, team, folks, guys, thank you all, thank you everyone, thanks all, sounds good, for me",
)
_AFTER = phrases(
    "please, now, here, then, thanks, thank you, all, everyone, everybody, team, folks, guys, for now, for today",
    "tonight, for the moment, at this point, i think, i guess, with this, with that, with it, on this, already",
    "today, thanks a lot, ok, okay, right now",
    "from my side, from me, for me, with this one, many thanks, thank you all",
    "thank you everyone",
    *_each("with, for", ", ".join(_each("the, this", f"{_TALK}, topic, step, item"))),
)
_NO = phrases("no, nope, nah, not really")
_NEGATIONS = vocabulary(
    "not never no without neither nor hardly barely almost nearly far instead rather cannot dont cant wont isnt arent "
    "shouldnt didnt nobody"
)
_PUT_OFF = vocabulary("when once after before until till while whenever how what why which who where whether soon")
_CONDITIONS = vocabulary("if unless since because as provided assuming maybe perhaps")
_NOUN = vocabulary("the a an this our your each every final quick short")
_FOR_ALL = vocabulary("wrap wrap-up wrapup end stop conclude close")
_ORDERS = vocabulary("stop finish leave back end enough")
"""With a name, these tell one persona what to do."""
_SOFT = vocabulary("please kindly just")
_SELF = vocabulary("this that it")


def is_command(text: str) -> bool:
    """Return whether a text is one of the commands that end the conversation, such as /done."""
    return _COMMAND.match(text) is not None


def leaving(sentences: tuple[Sentence, ...], names: Collection[str]) -> Leaving | None:
    """Return the exit that a turn asks for, clearly or doubtfully; None where it asks for none."""
    said = [each for each in sentences if not all(_is_filler(clause, names) for clause in each.clauses)]
    if not said:
        return None
    exits = [_exit(each, names) for each in said]
    last = exits[-1]
    if len(said) == 1 and last is not None:
        return last
    if last is not None and last.clear:
        return Leaving(last.words, tuple(last.words.split()) not in _BARE)
    words = sum(len(each.words) for each in said)
    at_end = _last_clause(said[-1], names)
    if at_end is not None:
        return Leaving(at_end.words, at_end.clear and words <= MOST_WORDS)
    doubt = next((each for each in exits if each is not None), None) or next(filter(None, map(_mention, said)), None)
    return None if doubt is None else Leaving(doubt.words, clear=False)


class _Kind(Enum):
    """What a phrase is, when nothing else is said."""

    BARE = "one word that may mean other things"
    STATED = "said"
    POLITE = "said as a question"
    DOUBTFUL = "asked, or able to mean other things"


def _kind(core: tuple[str, ...]) -> _Kind | None:
    """Return what kind of exit the words are, if they are one and nothing else."""
    if core in _BARE:
        return _Kind.BARE
    if core in _STATES or core in _DOING:
        return _Kind.STATED
    if core in _OPEN:
        return _Kind.DOUBTFUL
    for size in range(1, 5):
        opening = core[:size]
        if core[size:] in _DOING:
            if opening in _STATED:
                return _Kind.STATED
            if opening in _POLITE or (opening in _OF_YOU and core[size] in _FOR_ALL):
                return _Kind.POLITE
            if opening in _ASKED:
                return _Kind.DOUBTFUL
    return None


def _is_clear(kind: _Kind, asks: bool) -> bool:
    return kind is _Kind.POLITE or (kind is not _Kind.DOUBTFUL and not asks)


def _exit(sentence: Sentence, names: Collection[str]) -> Leaving | None:
    """Return the exit that a whole sentence is."""
    clauses = [clause for clause in sentence.clauses if not _is_filler(clause, names)]
    core = _core(clauses[0], names) if len(clauses) == 1 else ()
    kind = _kind(core)
    if kind is None:
        return None
    order = kind is _Kind.BARE and core[0] in _ORDERS and any(word in names for word in sentence.words)
    return Leaving(" ".join(core), _is_clear(kind, sentence.asks) and not order)


def _last_clause(sentence: Sentence, names: Collection[str]) -> Leaving | None:
    """Return the exit at the end of a sentence that says other things before."""
    *before, last = [clause for clause in sentence.clauses if not _is_filler(clause, names)] or [()]
    core = _core(last, names)
    kind = _kind(core)
    earlier = {word for clause in before for word in clause}
    if not before or kind is None or kind is _Kind.BARE or earlier & _PUT_OFF:
        return None
    return Leaving(" ".join(core), _is_clear(kind, sentence.asks) and not earlier & _CONDITIONS)


def _mention(sentence: Sentence) -> Leaving | None:
    """Return the words of a sentence that may ask for an exit among others."""
    earlier: list[str] = []
    for clause in sentence.clauses:
        for at in range(len(clause)):
            phrase = next((clause[at : at + size] for size in (5, 4, 3, 2) if clause[at : at + size] in _STRONG), None)
            if phrase is None:
                continue
            before, after = clause[:at], clause[at + len(phrase) :]
            other = after[:1] == ("with",) and not {*after[1:2]} & _SELF
            off = {*earlier, *before} & _PUT_OFF or {*before[-1:]} & _NOUN or any(map(_negates, before))
            if not other and not off:
                return Leaving(" ".join(phrase), clear=False)
        earlier += clause
    return None


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _is_filler(clause: tuple[str, ...], names: Collection[str]) -> bool:
    return clause in _NO or not _core(clause, names)


def _core(clause: tuple[str, ...], names: Collection[str]) -> tuple[str, ...]:
    """Return what is left of a clause without courtesies and names on either side; an exit is left as it is."""
    clause = tuple(word for word in clause if word not in _SOFT)
    while 0 < len(clause) <= MOST_CLAUSE and _kind(clause) is None:
        size = next((size for size in (4, 3, 2, 1) if clause[:size] in _BEFORE), 0) or int(clause[0] in names)
        if size:
            clause = clause[size:]
            continue
        size = next((size for size in (4, 3, 2, 1) if clause[-size:] in _AFTER), 0) or int(clause[-1] in names)
        if not size:
            break
        clause = clause[:-size]
    return clause
