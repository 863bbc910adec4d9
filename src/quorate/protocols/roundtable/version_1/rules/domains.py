"""The finite domains of the roundtable's forms for `verify`, each with the argument why it is enough."""

from __future__ import annotations

import json
from collections.abc import Mapping

from quorate.core.forms import Key, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question
from quorate.protocols.roundtable.version_1.rules.forms import (
    ActionItem,
    Appended,
    Clarified,
    Decided,
    Entry,
    Framing,
    Insight,
    Intent,
    Kept,
    Manner,
    Menu,
    MenuChoice,
    OpenQuestion,
    Reading,
    Recorded,
    Synthesis,
    Turn,
    Utterance,
    WhatWasMeant,
    Written,
)
from quorate.protocols.roundtable.version_1.rules.model import USER, document_keys
from quorate.protocols.roundtable.version_1.rules.personas import Cast

TEXT = Prose("text")
DOCUMENTS = [
    {"key": key, "name": f"{name}.md", "path": f"{name}.md", "text": f"# {name}\n", "digest": ""}
    for key, name in zip(document_keys(2), ("requirements", "decisions"), strict=True)
]
MATERIAL: Mapping[str, str] = {
    "topic": "When is a member reminded of a borrowed book?",
    "documents": json.dumps(DOCUMENTS),
    "meta": "{}",
}


def utterances(question: Question) -> tuple[Utterance, ...]:
    keys: tuple[tuple[Key, ...], ...] = ((), *((key,) for key in question.keys))
    said = [Utterance(TEXT, each, manner, False) for manner in (Manner.CONTRIBUTE, Manner.REDIRECT) for each in keys]
    passed = [Utterance(TEXT, each, Manner.PASS, False) for each in keys[:2]]
    blank = [Utterance(TEXT, keys[-1], manner, True) for manner in (Manner.CONTRIBUTE, Manner.REDIRECT)]
    return (*said, *passed, *blank)


def readings(question: Question) -> tuple[Reading, ...]:
    addresses = [Reading(TEXT, (key,), Intent.ADDRESS) for key in question.keys]
    plain = [Reading(TEXT, (), intent) for intent in Intent]
    besides = [Reading(TEXT, question.keys[:1], intent) for intent in (Intent.CONTRIBUTION, Intent.GROUP)]
    return (*addresses, *plain, *besides)


def syntheses(cast: Cast) -> tuple[Synthesis, ...]:
    first, last, documents = cast.keys[0], cast.keys[-1], cast.documents
    to_last, all_ = documents[-1:], (*cast.keys, USER)

    def made(
        insights: tuple[Insight, ...] = (),
        decisions: tuple[Decided, ...] = (),
        questions: tuple[OpenQuestion, ...] = (),
        actions: tuple[ActionItem, ...] = (),
    ) -> Synthesis:
        return Synthesis(insights, decisions, questions, actions, TEXT)

    return (
        made(),
        made(insights=(Insight(TEXT, all_, (), False),)),
        made(decisions=(Decided(TEXT, TEXT, (last,), to_last, False),)),
        made(insights=(Insight(TEXT, (first,), (), False), Insight(TEXT, (), to_last, False))),
        made(questions=(OpenQuestion(TEXT, TEXT, (last,), (first,), False),)),
        made(actions=(ActionItem(TEXT, documents[:1] or (USER,), to_last, False),)),
        made(insights=(Insight(TEXT, all_, to_last, True),), actions=(ActionItem(TEXT, (USER,), (), True),)),
        made(decisions=(Decided(TEXT, TEXT, (*documents[:1], USER), (), False),)),
    )


def appended(question: Question) -> tuple[Appended, ...]:
    keys = question.keys

    def all_(result: Written) -> Appended:
        return Appended(tuple(Entry(key, result, TEXT, 3) for key in keys))

    mixed = Appended(tuple(Entry(key, Written.FAILED if key == keys[-1] else Written.ADDED, TEXT, 3) for key in keys))
    some = Appended(all_(Written.ADDED).documents[:-1])
    return tuple(dict.fromkeys((*(all_(result) for result in Written), mixed, some)))


def domains(cast: Cast) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form for this cast."""
    few = cast.settings.documents <= 2
    framings = Domain(
        lambda question: tuple(Framing(TEXT, TEXT, key) for key in question.keys), "whom it addresses is all", True
    )
    return {
        Menu: Domain(lambda _: tuple(Menu(TEXT, choice) for choice in MenuChoice), "every choice", True),
        Turn: Domain(
            lambda _: (Turn(TEXT, False, True), Turn(TEXT, False, False), Turn(TEXT, True, False)),
            "there are words, an exit alone, or none",
            True,
        ),
        Clarified: Domain(lambda _: tuple(Clarified(choice) for choice in WhatWasMeant), "every choice", True),
        Framing: framings,
        Utterance: Domain(
            utterances, "every manner with every challenge; one that passes or has no words challenges nobody", True
        ),
        Reading: Domain(readings, "every intent, an address of everybody and of nobody; others address nobody", True),
        Synthesis: Domain(
            lambda _: syntheses(cast),
            "only to which documents something is added counts: "
            + ("every choice of them" if few else "none, the first, the last, both")
            + "; names that hold and that do not are in each list",
            few,
        ),
        Appended: Domain(appended, "only whether a document failed, or was not reported, counts", True),
        Recorded: Domain(lambda _: tuple(Recorded(TEXT, result) for result in Kept), "every result", True),
    }
