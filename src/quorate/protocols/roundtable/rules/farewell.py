"""Detects whether a person wants to end the conversation, and whether a turn says anything beside that (T21, T22).

A sentence is an exit where nothing but an exit is left once greetings, thanks, names and "I think" are taken away.
Beside other things an exit must be urged ("let's", "please", "here", "for now"): "We store the hash, that's all" tells
about the hash. An exit that is merely told there is doubtful, and so is one that is asked about. One that is negated
("not done"), put off ("before we wrap up", "when it is done") or about something else ("done with the API", "back to
the API") is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import assert_never

from quorate.protocols.roundtable.rules.exits import STRONG, TALK, PhraseKind, each_of, kind
from quorate.protocols.roundtable.rules.sentences import (
    Sentence,
    is_word,
    phrases,
    says_something,
    sentences,
    unquoted,
    vocabulary,
)

MOST_WORDS = 15
"""Words of a turn in which an exit at the end of a sentence is still what the turn is for."""
MOST_CLAUSE = 40
"""Words of a clause that can be an exit with all its courtesies."""


@dataclass(frozen=True, slots=True)
class Leaving:
    """The words that ask for an exit, and whether they leave a doubt."""

    words: str
    clear: bool


_COMMAND = re.compile(r"\s*/(done|exit|quit|back|end|stop|wrap[ -]?up)\b[\s.!]*\Z", re.IGNORECASE)
_SLASH = re.compile(r"\s*/[^\W\d_]+(?:-[^\W\d_]+)*[?!.]*(?:\s|\Z)")
_BEFORE = phrases(
    "ok, okay, alright, all right, right, great, good, cool, nice, perfect, fine, excellent, thanks, thank you, thx",
    "cheers, yes, yeah, yep, yup, sure, well, so, now, then, and, but, hmm, um, hey, hi, hello, please, anyway, oh",
    "i think, i guess, i believe, i suppose, i'd say, i feel, never mind, agreed, exactly, good point, good points",
    "great points, great discussion, good discussion, great talk, thanks a lot, many thanks, thank you very much",
    "in that case, super, just, well done, good enough, fair enough, good job, great job, nice work, good work, got it",
    "i said, as i said, like i said, i repeat, i agree, i see, makes sense, that makes sense, understood, of course",
    "everyone, everybody, all, team, folks, guys, thank you all, thank you everyone, thanks all, sounds good, for me",
)
_AFTER = phrases(
    "please, now, here, then, thanks, thank you, all, everyone, everybody, team, folks, guys, for now, for today",
    "tonight, for the moment, at this point, i think, i guess, with this, with that, with it, on this, already",
    "today, thanks a lot, ok, okay, right now",
    "from my side, from me, for me, with this one, many thanks, thank you all",
    "thank you everyone",
    *each_of("with, for", ", ".join(each_of("the, this", f"{TALK}, topic, step, item"))),
)
_OPENS_BARE = phrases(
    "ok, okay, alright, all right, yes, yeah, yep, yup, sure, so, now, thanks, thank you, thx, many thanks",
    "thanks a lot, anyway, agreed, never mind",
)
"""Without a pause, only these leave a single word an exit: "well done" and "nice end" are none."""
_CLOSES_BARE = phrases(
    "now, here, thanks, thank you, ok, okay, for now, for today, right now, today, tonight, for the moment",
    "many thanks, thanks a lot, at this point",
)
_WITH_IT = phrases("with this, with that, with it, on this, with this one")
"""What `it` is may be a part of the topic."""
_NO = phrases("no, nope, nah, not really")
_NEGATIONS = vocabulary(
    "not never no without neither nor hardly barely almost nearly far instead rather cannot dont cant wont isnt arent "
    "shouldnt didnt nobody"
)
_WHEN = vocabulary("when once after before until till while whenever")
_QUESTION = vocabulary("how what why which who where whether soon")
_CONDITIONS = vocabulary("if unless since because as provided assuming maybe perhaps")
_LEADING = _WHEN | vocabulary("if unless on upon at in for per given")
"""At the start of a clause, these make the word after it a thing to do, not an exit."""
_JOINING = vocabulary("and so but")
_REPORTS = vocabulary("says say said reads shows prints writes answers replies")
_NOUN = vocabulary("the a an this our your each every final quick short")
_ORDERS = vocabulary("stop finish leave back end enough")
"""With a name, these tell one persona what to do."""
_UNENDED = vocabulary("done finished through wrap")
_FOR_NOW = ("for now", "for today")
_LET = vocabulary("let's lets")
_SOFT = vocabulary("please kindly just")
_SELF = vocabulary("this that it")


def is_command(text: str) -> bool:
    """Return whether a text is one of the commands that end the conversation, such as /done."""
    return _COMMAND.match(text) is not None


def is_no_command(text: str) -> bool:
    """Return whether a text looks like a command, such as /foo bar, and is none of those that there are (T31)."""
    word = _SLASH.match(text)
    return word is not None and not is_command(text) and not is_command(word[0])


def leaving(sentences: tuple[Sentence, ...], names: Collection[str]) -> Leaving | None:
    """Return the exit that a turn asks for, clearly or doubtfully; None where it asks for none."""
    said = [each for each in sentences if not all(_is_filler(clause, names) for clause in each.clauses)]
    if not said:
        return None
    *earlier, last = reversed(dict.fromkeys(reversed(said)))  # what is said again ("Stop. Stop!") counts once
    found = _whole(last, names)
    if found is not None and not earlier:
        return Leaving(found.words, found.alone and not _is_order(found, last, names))
    if found is not None and found.kind is not PhraseKind.DOUBTFUL:
        return Leaving(found.words, found.beside and earlier[-1].tokens[-1] != ":")
    if at_end := _last_clause(last, names):
        words = sum(len(each.words) for each in said)
        return Leaving(at_end.words, at_end.clear and words <= MOST_WORDS)
    exits = (each.words for sentence in said if (each := _whole(sentence, names)))
    doubt = next(exits, None) or next(filter(None, map(_mention, said)), None)
    return None if doubt is None else Leaving(doubt, clear=False)


@dataclass(frozen=True, slots=True)
class _Found:
    """An exit, and what stood around it in its clause."""

    core: tuple[str, ...]
    kind: PhraseKind
    clause: tuple[str, ...]
    before: frozenset[tuple[str, ...]]
    after: frozenset[tuple[str, ...]]
    asks: bool

    @property
    def words(self) -> str:
        return " ".join(self.core)

    @property
    def alone(self) -> bool:
        """It is clear where nothing else is said."""
        match self.kind:
            case PhraseKind.DOUBTFUL:
                return False
            case PhraseKind.POLITE | PhraseKind.URGED:
                return self.kind is PhraseKind.POLITE or not self.asks
            case PhraseKind.BARE:
                closed = self.after <= _CLOSES_BARE if self.core[0] in _ORDERS else not self.after & _WITH_IT
                closed = closed and (self.core != ("back",) or ("here",) not in self.after)
                asked_of = self.core == ("finish",) and bool({*self.clause} & _SOFT)
                return not self.asks and self.before <= _OPENS_BARE and closed and not asked_of
            case PhraseKind.STATED:
                going_on = self.before & {("and",), ("but",), ("then",)}
                return not self.asks and not going_on and not self.after & _WITH_IT
            case _:
                assert_never(self.kind)

    @property
    def beside(self) -> bool:
        """It is clear where other things are said before."""
        now = {*self.clause} & {"please", "here"} or any(each in " ".join(self.clause) for each in _FOR_NOW)
        urged = self.kind is PhraseKind.URGED or (
            bool(now) and (self.kind is not PhraseKind.BARE or self.core[0].startswith("wrap"))
        )
        wrapped = self.kind is PhraseKind.POLITE and self.core[2].startswith("wrap")
        return self.alone and self.clause[0] != "then" and (urged or wrapped)


def _whole(sentence: Sentence, names: Collection[str]) -> _Found | None:
    """Return the exit that a whole sentence is."""
    clauses = {_once(clause): clause for clause in sentence.clauses if not _is_filler(clause, names)}
    return _found(*clauses.values(), names=names, asks=sentence.asks) if len(clauses) == 1 else None


def _found(clause: tuple[str, ...], *, names: Collection[str], asks: bool) -> _Found | None:
    core, before, after = _core(clause, names)
    exit_kind = kind(core)
    return None if exit_kind is None else _Found(core, exit_kind, clause, before, after, asks)


def _is_order(found: _Found, sentence: Sentence, names: Collection[str]) -> bool:
    named = any(word in names for word in sentence.words)
    return found.kind is PhraseKind.BARE and found.core[0] in _ORDERS and named


def _last_clause(sentence: Sentence, names: Collection[str]) -> Leaving | None:
    """Return the exit at the end of a sentence that says other things before."""
    *before, last = [clause for clause in sentence.clauses if not _is_filler(clause, names)] or [()]
    found = _found(last, names=names, asks=sentence.asks) if before else None
    if found is None:
        return None
    earlier = {word for clause in before for word in clause}
    put_off, told = _puts_off(before[-1]), ":" in sentence.tokens or bool(earlier & _REPORTS)
    if put_off and found.kind is not PhraseKind.URGED:
        return None
    if found.kind is PhraseKind.BARE and (told or any(clause[0] in _LEADING for clause in before)):
        return None
    contrary = any(map(_negates, earlier)) and earlier & _UNENDED
    clear = found.beside and not (put_off or told or contrary or earlier & _CONDITIONS)
    return Leaving(found.words, clear)


def _mention(sentence: Sentence) -> str | None:
    """Return the words of a sentence that may ask for an exit among others."""
    previous: tuple[str, ...] = ()
    for clause in sentence.clauses:
        for at in range(len(clause)):
            phrase = next((clause[at : at + size] for size in (5, 4, 3, 2) if clause[at : at + size] in STRONG), None)
            if phrase and not _is_off(previous, clause[:at], phrase, clause[at + len(phrase) :]):
                return " ".join(phrase)
        previous = clause
    return None


def _is_off(
    previous: tuple[str, ...], before: tuple[str, ...], phrase: tuple[str, ...], after: tuple[str, ...]
) -> bool:
    """Return whether a phrase is negated, put off, asked about or about something else."""
    joint = max((at + 1 for at, word in enumerate(before) if word in _JOINING), default=0)
    own = before[joint:]
    if (after[:1] == ("with",) and not {*after[1:2]} & _SELF) or any(map(_negates, own)) or {*own[-1:]} & _NOUN:
        return True
    if phrase[0] in _LET or {*own[-1:]} & _LET:
        return False
    return _puts_off(before) or _puts_off(previous) or bool({*own} & (_QUESTION | _WHEN))


def _puts_off(clause: tuple[str, ...]) -> bool:
    """Return whether a clause begins as one that says when the next holds."""
    words = tuple(word for word in clause[:3] if word not in _JOINING and word not in ("only", "then"))
    return bool({*words[:1]} & _WHEN)


def _negates(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _once(clause: tuple[str, ...]) -> tuple[str, ...]:
    """Return a clause without the repetitions of its only word: stop stop stop."""
    return clause[:1] if len({*clause}) == 1 else clause


def _is_filler(clause: tuple[str, ...], names: Collection[str]) -> bool:
    return _once(clause) in _NO or not _core(clause, names)[0]


_Phrases = frozenset[tuple[str, ...]]


def _core(clause: tuple[str, ...], names: Collection[str]) -> tuple[tuple[str, ...], _Phrases, _Phrases]:
    """Return what is left of a clause without courtesies and names on either side, and those; an exit stays whole."""
    clause = _once(tuple(word for word in clause if word not in _SOFT))
    sides: tuple[set[tuple[str, ...]], set[tuple[str, ...]]] = (set(), set())

    def is_name(word: str) -> bool:
        return word in names and (len(clause) == 1 or not is_word(word))

    while 0 < len(clause) <= MOST_CLAUSE and kind(clause) is None:
        size = next((size for size in (4, 3, 2, 1) if clause[:size] in _BEFORE), 0) or int(is_name(clause[0]))
        if size:
            sides[0].add(clause[:size])
            clause = clause[size:]
            continue
        size = next((size for size in (4, 3, 2, 1) if clause[-size:] in _AFTER), 0) or int(is_name(clause[-1]))
        if not size:
            break
        sides[1].add(clause[-size:])
        clause = clause[:-size]
    return clause, frozenset(sides[0]), frozenset(sides[1])


_EXIT = "done"


def says_more(text: str) -> bool:
    """Whether anything is left of a turn without exits and courtesies; first names count as something."""
    if not says_something(text) or is_command(text):
        return False
    said = sentences(unquoted(text))
    if not said:
        return True  # signs alone, such as an emoji
    return any(not _leaves(clause) and not _is_courtesy(clause) for each in said for clause in each.clauses)


def _leaves(clause: tuple[str, ...]) -> bool:
    """Whether a clause asks for an exit, clearly or doubtfully, and for nothing else."""
    found = leaving((Sentence(clause, asks=False),), ())
    return found is not None and (found.clear or found.words == " ".join(clause))


def _is_courtesy(clause: tuple[str, ...]) -> bool:
    """Whether an exit that follows a clause is still all that is said."""
    return leaving((Sentence((*clause, ",", _EXIT), asks=False),), ()) == Leaving(_EXIT, clear=True)
