"""The clerk: reads agenda and documents from the material, and tells which responses name a critical word (W2, W23).

It needs nothing but its view, so it answers the same in every process and at every replay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from quorate.core.errors import InputError, RuleViolation
from quorate.core.forms import Key
from quorate.core.view import View
from quorate.files.located_values import Located, located
from quorate.kit.strict_json import strict_json
from quorate.participants.check import Check
from quorate.participants.port import Request
from quorate.protocols.workshop.rules.forms import AgendaReport, AgendaTopic, Bound, Reading
from quorate.protocols.workshop.rules.model import MOST_CRITERIA, MOST_PARTS, MOST_TOPICS
from quorate.protocols.workshop.rules.parts import cannot_be_shown, divided
from quorate.protocols.workshop.rules.settings import LONGEST_WORD
from quorate.protocols.workshop.rules.taxonomy import ArtifactType
from quorate.protocols.workshop.rules.workflows.vocabulary import COUNTED
from quorate.safety.normal_form import visible

MOST_MINIMUM = 20
MOST_WORDS = 40
MOST_READ = 2_000_000
"""Characters of one section that are read at all; what forms and intake let through is far below."""
STAGES = tuple(bound.value for bound in Bound if bound is not Bound.NONE)
_JOINTS = r"[\s_\-\u058a\u05be\u2010-\u2015\u2212\u301c\uff5e]"
"""What stands between the parts of a compound: white space, or one of the many dashes."""
_JOINT = re.compile(f"{_JOINTS}+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of languages that put no space between words: there a word is wherever its letters are."""


def clerk() -> Check:
    """Return who sits as the clerk of a session."""

    def answer(request: Request) -> AgendaReport | Reading:
        match request.ask.brief:
            case "agenda":
                documents = _section(request.view, "Documents")
                return _agenda(_section(request.view, "Agenda"), documents, request.ask.keys)
            case "read":
                words = _section(request.view, "Critical words")
                return _reading(words, _section(request.view, "Responses"), request.ask.keys)
            case brief:
                raise RuleViolation(f"the clerk cannot answer the brief {brief!r}; it answers 'agenda' and 'read'")

    return Check(answer, name="clerk")


def _section(view: View, title: str) -> Located:
    """Return the JSON of the one section of this title."""
    texts = [section.text for section in view.sections if section.title == title]
    if len(texts) != 1:
        raise InputError(f"the view has {len(texts)} sections of that title", key=title, expected="one")
    if len(texts[0]) > MOST_READ:
        raise InputError(f"has {len(texts[0]):,} characters", key=title, expected=f"at most {MOST_READ:,}")
    try:
        data: Any = strict_json(texts[0])
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {type(error).__name__}: {error}", key=title) from error
    return located(data, title)


# The agenda


def _agenda(root: Located, documents: Located, keys: tuple[Key, ...]) -> AgendaReport:
    """Report every topic in its order; what the agenda must not have raises, so that nobody is asked (W2)."""
    given = root.mapping()
    makes = COUNTED[_needed(root, "workflow").choice(tuple(COUNTED), "workflow")]
    topics = _needed(root, "topics").items()
    if not 1 <= len(topics) <= min(MOST_TOPICS, len(keys)):
        raise given["topics"].error(f"has {len(topics) or 'no'} topics", f"1 to {MOST_TOPICS}")
    read = (_topic(key, node, makes) for key, node in zip(keys, topics, strict=False))
    texts = {name: each.text() for name, each in _needed(documents, "texts").mapping().items()}
    tokens = _needed(documents, "tokens").whole(1, MOST_READ)
    parts = min(MOST_PARTS, len(divided(texts, tokens)))
    return AgendaReport(tuple(read), parts, cannot_be_shown(texts, tokens))


def _topic(key: Key, node: Located, makes: tuple[str, ...]) -> AgendaTopic:
    given = node.mapping()
    done_when = _needed(node, "done_when")
    criteria = _needed(done_when, "criteria").items()
    if not 1 <= len(criteria) <= MOST_CRITERIA:
        raise done_when.error(f"has {len(criteria) or 'no'} criteria", f"1 to {MOST_CRITERIA}")
    counts = done_when.mapping().get("counts")
    names = [each.choice(makes, "type of artifact") for each in counts.items()] if counts is not None else []
    stage = given.get("stage")
    bound = Bound.NONE if stage is None or stage.value == "" else Bound(stage.choice(STAGES, "stage"))
    return AgendaTopic(
        key=key,
        required=given["critical"].flag() if "critical" in given else False,
        criteria=len(criteria),
        minimum=_needed(done_when, "minimum").whole(0, MOST_MINIMUM),
        counts=tuple(map(ArtifactType, dict.fromkeys(names or makes))),
        stage=bound,
    )


def _needed(node: Located, name: str) -> Located:
    found = node.mapping().get(name)
    if found is None:
        raise node.error(f"{name} is missing")
    return found


# The responses


def _reading(words: Located, responses: Located, keys: tuple[Key, ...]) -> Reading:
    """Tell which of the positions that are asked for name a word; one without a text raises, as it cannot be read."""
    named = [each.text() for each in words.items()]
    if len(named) > MOST_WORDS or any(len(word) > LONGEST_WORD for word in named):
        raise words.error(
            "has too many words, or words that are too long", f"at most {MOST_WORDS} of {LONGEST_WORD} characters"
        )
    said = responses.mapping()
    missing = next((key for key in keys if key not in said), None)
    if missing is not None:
        raise responses.error(f"does not mention {missing}", "every position that is asked for")
    pattern = _finder(named)
    if pattern is None:
        return Reading(())
    return Reading(tuple(key for key in keys if pattern.search(_folded(said[key].text()))))


# Words: whole ones, however capitalised, joined or encoded (W23)


def _finder(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern that finds any of the words in a text that was `_folded`; None where there are none."""
    patterns = dict.fromkeys(found for word in words if (found := _pattern(_folded(word))))
    return re.compile("|".join(patterns)) if patterns else None


def _folded(text: str) -> str:
    """Return the text as it is compared: composed, in one case, without characters that nobody sees."""
    plain = unicodedata.normalize("NFKC", visible(text)).casefold()
    return unicodedata.normalize("NFKC", plain)  # folding the case can take a letter apart again


def _pattern(word: str) -> str:
    """Join the parts of a word with any joint: `must-have` is also `must have`, and `must haves` is another word."""
    parts = [part for part in _JOINT.split(word) if part]
    if not parts:
        return ""
    before = "" if _UNSPACED.match(parts[0][0]) else r"(?<!\w)"
    after = "" if _UNSPACED.match(parts[-1][-1]) else r"(?!\w)"
    return before + f"{_JOINTS}+".join(map(re.escape, parts)) + after
