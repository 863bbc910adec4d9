"""Whom a person addresses: a persona by name, or the whole table. Merely mentioning a name is no address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.forms import Key
from quorate.protocols.roundtable.version_1.rules.sentences import SIGNS, Sentence, is_word, phrases, vocabulary

_OPENING = vocabulary(
    ", : hey hi hello ok okay so well thanks thank you yes yeah yep no nope and but now right great good nice point "
    "question sorry please dear also alright hmm oh sure agreed exactly true fair then interesting cool perfect thx"
)
"""May stand before a name that is called."""
_COURTESY = _OPENING | vocabulary(
    "' that that's is was it's a an very really a lot much many idea work job done welcome enough for your the answer "
    "input explaining explanation helpful useful makes sense i see got it agree with understood noted points all"
)
"""A sentence of nothing else is for nobody in particular where somebody else is called later."""
_GREETING = vocabulary("hi hey hello dear thanks thx")
_THANKING = vocabulary("thanks thank thx point good great nice agreed")
_REPORTED = vocabulary(
    "said says told asked asks mentioned suggested suggests proposed proposes noted wants wanted thinks thought "
    "believes explained agreed pointed raised wrote gave insisted argued argues claimed claims prefers likes"
)
"""After a name and one word more, that word is a surname."""
_NO_ADVERBS = vocabulary("apply reply supply comply rely multiply imply")
_LED_TO = vocabulary(
    "with to from by for of about and or as than like unlike per via on at in after before ask asked tell told hear "
    "heard let between the our your a that because if when what how where why which who is are was were this whole "
    "entire each said says against without behind around except including both see meet call pay give"
)
"""Before a name, these make it one who is spoken of."""
_CALLED_AFTER = vocabulary(
    "think say mean know wonder thanks you hey hi so well ok okay question point idea sorry right"
)
"""Before a name with a comma, these make it one who is spoken to."""
_AUXILIARY = vocabulary("is was has had will would can could should must might may does did")
_THING = vocabulary("the a an this that it we there they our my i these those any your you he she")
_ASIDE = vocabulary("who whose whom which")
_INVITING = vocabulary(
    "what how why when where who which can could would will do does did are is have should shall may please tell "
    "explain you your i i'd i'm we let describe show walk thoughts opinion comment summarise summarize say give any"
)
_DIRECT = vocabulary(
    "what how why please you can could would do tell explain describe show where when which any thoughts"
)
_TELLING = vocabulary(
    "said says told tells thinks thought asked asks noted notes made makes gave gives likes wants believes feels "
    "felt agreed agrees knew knows wrote writes meant means took takes brought brings isn't wasn't hasn't doesn't "
    "didn't won't can't couldn't wouldn't shouldn't already also just really probably obviously rightly only "
    "never always still once earlier rarely often rather quite even almost nearly somehow indeed yesterday soon "
    "seems sounds looks needs put puts went goes had saw sees came comes kept keeps 's too himself herself "
    "themselves being who whose whom with from in on at or of as are were"
)
_THINGS_MEANT = vocabulary(
    "thoughts ideas opinions concerns comments objections questions options risks suggestions this yes thanks perhaps "
    "besides us"
)
_GOING_ON = vocabulary("but so and then now")
_ASKING = vocabulary("does do would could can will")
_SATISFIED = vocabulary("ok okay happy fine comfortable good agreed clear sure")
TABLE = vocabulary("team everyone everybody folks guys all gang")
"""Words for the whole table."""
ANYBODY = vocabulary("everyone everybody anyone anybody")
_OPINIONS = vocabulary("think agree disagree feel object suggest prefer see say propose recommend explain answer add")
_MATTERS = vocabulary(
    "thoughts thought ideas idea opinions opinion concerns concern objections objection questions comments"
)
_HELPING = vocabulary("does do did would can could will has what how any")
_YOU_ALL = phrases(
    "you all, all of you, each of you, both of you, any of you, you guys, you three, you two, you both",
    "you folks, three of you, two of you, y'all, yall",
)
_OPINION = phrases(
    "what do you think, what are your thoughts, what is your opinion, what's your opinion, what's your take",
    "what is your take, what's your view, what is your view, how do you see, your thoughts, any thoughts, thoughts",
    "any opinions, opinions, any ideas, any objections, any concerns",
)


@dataclass(frozen=True, slots=True)
class _Run:
    """Names that stand together: `Alex`, `Alex and Maya`, `Maya, Alex, Jordan`."""

    names: tuple[str, ...]
    start: int
    end: int
    joined: bool
    """With an `and` or `or`."""
    marked: bool
    """With an @."""


@dataclass(frozen=True, slots=True)
class Called:
    """The names that are called in one go, in their order; empty where nobody is."""

    names: tuple[str, ...] = ()
    thanked: bool = False
    """It is only a courtesy: "Thanks, Maya."."""


def called(sentences: tuple[Sentence, ...], names: Mapping[str, Key]) -> Called:
    """Return who is called first in a text; a mere courtesy only where nobody else is."""
    courtesy = Called()
    for number, sentence in enumerate(sentences):
        runs = _runs(sentence.tokens, names)
        for place, run in enumerate(runs):
            found = _called(sentence, run, first=number == 0)
            until = runs[place + 1].start if place + 1 < len(runs) else len(sentence.tokens)
            if found and not _is_courtesy(sentence, run, until):
                return Called(_without_thanked(sentence, run, found))
            if found and not courtesy.names:
                courtesy = Called(found, thanked=True)
    return courtesy


def calls_all(sentences: tuple[Sentence, ...]) -> str:
    """Return the words that speak to the whole table, or ''."""
    for sentence in sentences:
        if found := _you_all(sentence) or _table(sentence) or _anybody(sentence):
            return found
    return ""


def asks_opinion(sentences: tuple[Sentence, ...]) -> str:
    """Return the words of a last sentence that asks for opinions, whoever has one, or ''."""
    words = sentences[-1].words if sentences else ()
    while words and words[0] in _OPENING | {"i", "wonder"} and words[0] != "you":
        words = words[1:]
    for phrase in _OPINION:
        if words[: len(phrase)] == phrase and (len(phrase) > 2 or sentences[-1].asks):
            return " ".join(phrase)
    return ""


def _runs(tokens: tuple[str, ...], names: Mapping[str, Key]) -> list[_Run]:
    found: list[_Run] = []
    at = 0
    while at < len(tokens):
        if not _is_name(tokens, at, names):
            at += 1
            continue
        start, joined, marked = at, False, tokens[at].startswith("@")
        run = [tokens[at].removeprefix("@")]
        at += 1
        while True:
            step = at
            while tokens[step : step + 1] in ((",",), ("and",), ("or",)) and step - at < 2:
                step += 1
            if not at < step < len(tokens) or not _is_name(tokens, step, names):
                break
            joined = joined or {"and", "or"} & {*tokens[at:step]} != set()
            marked = marked or tokens[step].startswith("@")
            run.append(tokens[step].removeprefix("@"))
            at = step + 1
        found.append(_Run(tuple(run), start, at, joined, marked))
    return found


def _is_name(tokens: tuple[str, ...], at: int, names: Mapping[str, Key]) -> bool:
    """Return whether a token is a name; one that is a word as well must have pauses or an @."""
    name = tokens[at].removeprefix("@")
    if name not in names or name != tokens[at] or not is_word(name):
        return name in names
    before, after = tokens[max(at - 1, 0) : at], tokens[at + 1 : at + 2]
    opened = not before or before[0] in (",", ":", "and", "or") or before[0] in _GREETING
    return opened and (not after or after[0] in (",", ":", "and", "or"))


def _is_courtesy(sentence: Sentence, run: _Run, until: int) -> bool:
    """Return whether nothing but thanks, praise and greetings stands around a call, up to the next name."""
    around = sentence.tokens[: run.start] + sentence.tokens[run.end : until]
    courteous = not sentence.asks or until < len(sentence.tokens)
    return courteous and not run.marked and any(each not in SIGNS for each in around) and {*around} <= _COURTESY


def _without_thanked(sentence: Sentence, run: _Run, found: tuple[str, ...]) -> tuple[str, ...]:
    """Return who is called where one is thanked and the next is asked: "Thanks Maya, Alex what now?"."""
    thanked = {*sentence.tokens[: run.start]} & _THANKING and not run.joined and run.end < len(sentence.tokens)
    return found[1:] if thanked and len(found) > 1 else found


def _called(sentence: Sentence, run: _Run, first: bool) -> tuple[str, ...]:
    """Return those of a run who are spoken to."""
    tokens = sentence.tokens
    before, after = tokens[: run.start], tokens[run.end :]
    if run.marked:
        return run.names
    if after[:1] == ("'",):
        return ()  # James' point
    if all(token in _OPENING for token in before):
        return _called_first(sentence, run, after, first)
    previous = before[-1]
    if previous in _GOING_ON and before[-2:-1] == (",",):
        previous = ","  # ..., but Alex, ...
    if previous in (",", ":"):
        if not after:
            return run.names
        if after[0] in (",", ":"):
            return () if {*after[1:2]} & (_ASIDE | {"and", "or"}) else run.names
        inviting = (after[0] in _INVITING or (sentence.asks and len(after) == 1)) and not _is_told(
            run, after, sentence.asks
        )
        return run.names if inviting else ()
    if previous in ("to", "for") and after[:1] == (":",):
        return run.names  # a question for Alex: ...
    if previous in _LED_TO:
        return ()
    if after[:1] == (",",):
        return run.names if previous in _CALLED_AFTER else ()
    if sentence.asks and previous in _ASKING and after and after[0] in _OPINIONS:
        return run.names  # What does Alex think?
    speaks_to = {*before} & {"you", "your", "thanks", "please"} or previous == "agree"
    return run.names if not after and speaks_to else ()


def _called_first(sentence: Sentence, run: _Run, after: tuple[str, ...], first: bool) -> tuple[str, ...]:
    """Return who is spoken to where a sentence begins with names."""
    if not after:
        return run.names
    if after[0] in (",", ":"):
        aside = after[0] == "," and not sentence.asks and {*after[1:2]} & _ASIDE
        return () if aside else run.names
    if _is_told(run, after, sentence.asks):
        # "Alex, Maya said": the last name belongs to what is told, the others are called.
        plural = after[0] in ("are", "were", "have", "both", "and")
        return run.names[:-1] if not run.joined and not plural else ()
    return run.names if first or after[1:2] in ((",",), (":",)) or after[0] in _INVITING else ()


def _is_told(run: _Run, after: tuple[str, ...], asks: bool) -> bool:
    """Return whether a sentence goes on to tell something about the names before it."""
    verb, then = after[0], after[1:2]
    if verb in ("and", "or", "both"):
        return True
    if verb in _AUXILIARY:
        return not (then in (("you",), ("your",)) or (asks and {*then} <= _THING and bool(then)))
    if run.joined:
        return verb not in _DIRECT
    if verb in _TELLING:
        return True
    if verb in _THINGS_MEANT or verb in _INVITING:
        return False
    if {*then} & _REPORTED:
        return True  # Maya Chen asked
    if verb.endswith("ly") and verb not in _NO_ADVERBS:
        return not {*then} & (_INVITING | {",", ":"})
    past = verb.endswith("ed") and len(verb) > 4 and not verb.endswith("eed")
    present = verb.endswith("s") and len(verb) > 3 and not verb.endswith(("ss", "'s"))
    return past or present


def _you_all(sentence: Sentence) -> str:
    words = sentence.words
    for at in range(len(words)):
        for phrase in _YOU_ALL:
            if words[at : at + len(phrase)] == phrase and words[max(at - 1, 0) : at] not in (("thank",), ("none",)):
                return " ".join(phrase)
    return ""


def _table(sentence: Sentence) -> str:
    """Return the word for the table where it is called as a name would be."""
    tokens = sentence.tokens
    for at, word in enumerate(tokens):
        if word not in TABLE:
            continue
        before, after = tokens[:at], tokens[at + 1 :]
        previous = before[-1] if before else ""
        if all(token in _OPENING for token in before) and previous not in ("you", "thank", "thanks"):
            alone = not after and word != "all"
            greeted = not after and previous in ("hi", "hello", "hey")
            if alone or greeted or after[:1] in ((",",), (":",)) or (word != "all" and {*after[:1]} & _DIRECT):
                return word
            continue
        between = previous == "," and after[:1] in ((), (",",)) and not {*after[1:2]} & (_ASIDE | {"and", "or"})
        at_end = not after and sentence.asks and word != "all" and previous not in _LED_TO | {"thank", "thanks"}
        if between or at_end:
            return word
    return ""


def _anybody(sentence: Sentence) -> str:
    """Return the words of a question that asks everybody for an opinion."""
    words = sentence.words
    if len(words) <= 2 and words[:1] and words[0] in ("anyone", "anybody") and sentence.asks:
        return words[0]
    for at, word in enumerate(words):
        before, verb = words[:at][-1:], "".join(words[at + 1 : at + 2])
        if word in ANYBODY and before == ("is",) and verb in _SATISFIED:
            return f"{word} {verb}"
        if word in ANYBODY and {*before} & _HELPING:
            if verb in _OPINIONS or (verb in ("have", "has", "got") and {*words[at:]} & _MATTERS):
                return f"{word} {verb}"
    return ""
