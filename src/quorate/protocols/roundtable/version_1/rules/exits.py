"""The phrases that end a conversation, and what kind of exit each of them is."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from itertools import product

from quorate.protocols.roundtable.version_1.rules.sentences import phrases, vocabulary


def each_of(first: str, second: str) -> Iterable[str]:
    """Return everything of a first list with everything of a second."""
    return (f"{one} {two}".strip() for one, two in product(first.split(", "), second.split(", ")))


TALK = "discussion, session, roundtable, round table, conversation, meeting, elaboration, talk, chat"
_ENDING = "wrap up, end, exit, stop, finish, finish up, leave, close, conclude, quit"
_ACTIONS = ", ".join(
    (
        "wrap up, wrap-up, wrapup, wrap it up, wrap this up, wrap that up, wrap things up, wrap up here, exit, quit",
        "wrap this one up, wrap everything up, wrap this thing up, wrap it all up, wrap all this up",
        "stop, stop here, stop there, stop this, end, end it, end this, end here, end there, end it here",
        "finish, finish up, finish it, finish this, finish here, conclude, leave, leave it here, leave it there",
        "leave it at that, call it a day, call it a night, back to the menu, back to menu, go back to the menu",
        "go back to menu, go to the menu, return to the menu, stop it here, close this, get out of here",
        *each_of(_ENDING, ", ".join(each_of("the, this, our", TALK))),
        *each_of("end, exit, quit, stop, finish, conclude", TALK),
        *(f"wrap {talk} up" for talk in each_of("the, this, our", TALK)),
    )
)
_DOING = phrases(_ACTIONS)
_POLITE = phrases("can we, could we, shall we, may we, can i, could i, may i, why don't we, how about we")
_OF_YOU = phrases("can you, could you, would you, will you")
_URGED = phrases(
    "let's, lets, let us, time to, it's time to, it is time to, i suggest we, i propose we, i suggest to, i'd say we",
    "we might as well",
)
_STATED = phrases(
    "i want to, i'd like to, i would like to, i wanna, i'm going to, i am going to, i'll, i will, i have to, i need to",
    "i must, i've got to, we can, we could, we should, we may, we need to, we have to, i'm ready to, we're ready to",
    "we are ready to, ready to",
)
_ASKED = phrases(
    "should we, do we, do you want to, do we want to, want to, are we ready to, can't we, shouldn't we, must we",
    "you can, you may, let me",
)
_MY_WORD = phrases("let me, can i, could i, may i")
_MY_POINT = phrases("finish, finish this, finish it, conclude, end")
"""Together these ask to be heard: let me finish."""
BARE = phrases(
    "done, exit, quit, back, end, stop, finish, finished, leave, bye, goodbye, enough, wrap up, wrap-up, wrapup"
)
_STATES = phrases(
    *each_of("i'm, im, i am, we're, we are, all, i'm all, we're all, we are all", "done, finished, through"),
    "that's all, thats all, that is all, that will be all, that'll be all, that's it for now, that's it for today",
    "that's everything, that is everything, that's all from me",
    "that is all from me, that would be all, that's all for now, that's all for today, that's it from me",
    "let's be done, that's it from my side",
    "that's all from my side, that's all i have, that's all i had, that's enough, that is enough, i've heard enough",
)
_OPEN = phrases(
    "move on, let's move on, moving on, next, next step, next topic, go back, let's go back, skip, continue, proceed",
    "i'm good, im good, we're good, all good, all set, i'm all set, we're all set, close, nothing else, nothing more",
    "nothing further, nothing to add, i have nothing else, i have nothing more, i have nothing to add, no questions",
    "nothing else from me, nothing more from me, no more questions, no further questions, i have no more questions",
    "that's it, thats it, that is it, are we done, are we done yet, are we finished",
    "am i done, is that all, is that it, are you done, done yet, c, s, q, cancel, abort, stop it, let's stop it",
    "enough is enough, let's call it, the end, that will do, that'll do, that covers it, we have enough, i have to go",
    "we have what we need, i have what i need, i've got to go, gotta go, i need to go, i must go, i'm off, i'm out",
    "see you, see you later, good night, let's leave it, i'm leaving, close session, close discussion, enough of this",
)
STRONG = phrases(
    "wrap up, wrap it up, wrap this up, wrap things up, call it a day, leave it at that, leave it there, leave it here",
    *each_of("we're, we are, i'm, i am", "done, finished"),
    *each_of("let's, lets, let us", "stop, end, finish, exit, leave, quit, conclude"),
    *each_of("end, stop, exit, leave, finish, conclude, close", ", ".join(each_of("the, this, our", TALK))),
)
_FOR_ALL = vocabulary("wrap wrap-up wrapup end stop conclude close")
EXIT_WORDS = frozenset(phrase[0] for phrase in BARE | _DOING | _OPEN if len(phrase) == 1) | {"wrap"}
"""Single words that end the conversation or may do so: nobody at the table can be called so."""


class PhraseKind(Enum):
    """What a phrase is, when nothing else is said."""

    BARE = "one word that may mean other things"
    STATED = "said"
    URGED = "said to be done now"
    POLITE = "said as a question"
    DOUBTFUL = "asked, or able to mean other things"


def kind(core: tuple[str, ...]) -> PhraseKind | None:
    """Return what kind of exit the words are, if they are one and nothing else."""
    if core in BARE:
        return PhraseKind.BARE
    if core in _STATES or core in _DOING:
        return PhraseKind.STATED
    if core in _OPEN:
        return PhraseKind.DOUBTFUL
    for size in range(1, 5):
        opening, action = core[:size], core[size:]
        if action not in _DOING:
            continue
        if action in _MY_POINT and opening in _MY_WORD:
            return None
        if action in _MY_POINT and (opening == ("let", "us") or (opening in _STATED and opening[0][0] == "i")):
            return PhraseKind.DOUBTFUL
        if opening in _URGED or opening in _STATED:
            return PhraseKind.URGED if opening in _URGED else PhraseKind.STATED
        if opening in _POLITE or (opening in _OF_YOU and action[0] in _FOR_ALL):
            return PhraseKind.POLITE
        if opening in _ASKED:
            return PhraseKind.DOUBTFUL
    return None
