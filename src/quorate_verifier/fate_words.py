"""The rule and the words of a fate: the rule follows from what it became, the words are those that were said.

They are quoted whole, on one line, or as their beginning where they are too long: 160 characters in a workshop, 200
with a mark at the end elsewhere. Which words they are the rules of the protocol say, of what was brought the material.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate_verifier.report import Difference, shown

Data = Mapping[str, Any]
CUT = 160
"""Characters of somebody's words in a workshop's fate."""
QUOTED = 200
"""Characters in a fate of other protocols, the mark that it was longer included."""
_FINDINGS = r"[A-Z]+ (gate )?finding"
NOTED = "noted: whoever said it has not passed the exam"
"""The fate of what is said on a seat whose model has not passed the exam of the protocol."""
_SOLUTION = "solution|trade-off|recommendation|unfulfilled requirement|open question"
_ITEMS = "insight|decision|open question|action item"
_RULES: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "debate": (
        ("question", "under way", "D7"),
        ("question", "refused", "D5"),
        ("question", "joined to .*", "D32"),
        ("question", "(un)?answered", "D8"),
        ("question", "not asked", "D26"),
        ("proposal|refinement", "under way|refined", "D12"),
        ("proposal|refinement", "without words", "D21"),
        ("proposal|refinement", "judged", "D20"),
        ("proposal|refinement", "not judged", "D25"),
        ("critique", "not heard", "D26"),
        ("critique", "left open", "D14|D36"),
        ("critique", ".*", "D14"),
        ("evaluation", ".*", "D17"),
        ("solution", "not heard", "D26"),
        ("solution", "without words", "D25"),
        (_SOLUTION, re.escape(NOTED), "D36"),
        (_SOLUTION, ".*", "D20"),
    ),
    "council": (
        (r"[A-Z]+ finding", re.escape(NOTED), "C48"),
        (_FINDINGS, "joined to .*", "C14"),
        (_FINDINGS, ".* as .*", "C17"),
        (_FINDINGS, "open", "C33"),
        (r"[A-Z]+ finding", "upheld", "C21 C22"),
        (r"[A-Z]+ gate finding", "upheld", "C9"),
        (_FINDINGS, "dismissed", "C22 C23"),
        (_FINDINGS, "remediation agreed", "C25"),
        (_FINDINGS, "remediated", "C38"),
        (_FINDINGS, "deadlocked", "C22 C39"),
        ("remediation", "(not )?agreed", "C25"),
        ("remediation", "not voted upon", "C33"),
        ("remediation", "carried out", "C38"),
        ("answer", ".*", "C9|C16"),
        ("pair", ".*", "C14"),
        ("claim", ".*", "C13"),
        ("ticket|file", ".*", "C42"),
        ("reply", "not counted", "C33"),
        ("reply", "not heard", "C24"),
        ("ruling", ".*", "C30"),
    ),
    "review": (
        ("fix item|veto|reservation", re.escape(NOTED), "R48"),
        ("fix item|veto", "taken back|gone with an amendment", "R39"),
        ("fix item|veto", "ungrounded", "R40"),
        ("fix item|veto", "withheld", "R38"),
        ("fix item", "lifted|cast again", "R38"),
        ("veto", "lifted|cast again", "R13|R38"),
        ("fix item|veto", "note|blocks", "R22"),
        ("fix item|veto", "refuted", "R23"),
        ("fix item|veto", "not counted", "R29"),
        ("reservation", "not counted", "R29"),
        ("reservation", ".*", "R41"),
        ("veto", "compromised", "R18"),
        ("veto", "stands", "R13"),
        ("finding", "superseded", "R17"),
        ("finding", "proves a veto", "R14"),
        ("finding", "blocks|note", "R27"),
        ("claim", ".*", "R24"),
        ("ruling", ".*", "R28"),
        ("file|part", "not put to anybody", "R14"),
        ("file|part", ".*", "R45"),
    ),
    "workshop": (
        ("ruling", ".*", "W24"),
        ("question|conflict", "open", "W21"),
        ("question|conflict", "decided by a person", "W24"),
        ("question|conflict", "resolved", "W19"),
        ("artifact", "superseded by .*|withdrawn", "W17"),
        ("artifact", ".*", "W18"),
        ("position|contest|block", re.escape(NOTED), "W40"),
        ("position", "heard", "W10"),
        ("position|contest|block|entry", "not heard", "W34"),
        ("remark", ".*", "W24|W25"),
        ("contest", ".*", "W11"),
        ("block", "kept RUL-.* waiting", "W24"),
        ("block", "stood aside", "W24|W31"),
        ("block", ".*", "W31"),
        ("escalation", ".*", "W22"),
        ("entry", ".*", "W14"),
        ("document", ".*", "W38"),
    ),
    "roundtable": (
        ("feedback", ".*", "T5"),
        (".*", "cut off", "T27"),
        ("elaboration", "not recorded", "T25"),
        ("elaboration", ".*", "T24"),
        (_ITEMS, ".*", "T23"),
        ("disagreement", "under way", "T20|T23"),
        ("disagreement", "dropped|settled by the person", "T20"),
        ("disagreement", "joined to .*", "T21"),
        ("disagreement", ".*", "T23"),
        ("question|remark", "not heard", "T9|T26"),
        ("question", ".*", "T19"),
        ("words beside a pass", ".*", "T19"),
        ("remark", "under way|the end of the talk", "T15"),
        ("remark", "no command", "T31"),
        ("remark", "a silence", "T14"),
        ("remark", "the last turn|the last word", "T9"),
        ("remark", "put to all", "T12"),
        ("remark", "put to the table", "T13|T32"),
        ("remark", "put to .*", "T11"),
    ),
}
"""What a fate is about, what became of it, and the rule; the first line that fits holds."""
NOT_DERIVED: Mapping[str, tuple[str, ...]] = {
    "review": ("part",),
    "workshop": ("escalation", "entry", "document"),
}
"""Fates whose words a protocol makes of numbers and titles; they are taken as they stand, and the report says so."""


def unlike_the_words(data: Data, protocol: str, words: Sequence[str | None]) -> Iterator[Difference]:
    """Yield every fate whose rule does not follow from what it became, or that quotes anything but its words.

    Where `words` has None and it was not brought, its words are taken as stated; `NOT_DERIVED` names all such.
    """
    for index, (fate, own) in enumerate(zip(data.get("fates", ()), words, strict=True)):
        what, became = str(fate.get("what")), str(fate.get("became"))
        rules = _rules_of(protocol, what, became)
        if rules is not None and fate.get("rule") not in rules:
            yield Difference(f"/fates/{index}/rule", f"it is {shown(fate.get('rule'))}", " or ".join(rules))
        text = _brought(data, protocol, fate) if own is None else own
        if text is not None and fate.get("said") not in _quotes_of(text, protocol):
            yield Difference(f"/fates/{index}/said", f"it is {shown(fate.get('said'))}", shown(text))


def taken_as_stated(protocol: str) -> tuple[str, ...]:
    """Say which words of fates are not derived."""
    names = NOT_DERIVED.get(protocol, ())
    return (f"the words of fates that a protocol puts together ({', '.join(names)})",) if names else ()


def _rules_of(protocol: str, what: str, became: str) -> list[str] | None:
    rows = _RULES.get(protocol, ())
    found = (rule for of, word, rule in rows if re.fullmatch(of, what) and re.fullmatch(word, became, re.DOTALL))
    rules = next(found, None)
    return None if rules is None else rules.split("|")


def _quotes_of(text: str, protocol: str) -> set[str]:
    """Return every form in which a protocol may quote these very words."""
    if protocol == "workshop":
        return {text[:CUT]}
    line = " ".join(text.split())
    plain = "".join(each for each in line if each.isprintable())
    return {text, *_cut(line), *_cut(plain)}


def _cut(line: str) -> Iterator[str]:
    yield line
    if len(line) > QUOTED:
        yield line[: QUOTED - 1] + "…"
        yield line[: QUOTED - 1].rstrip() + "…"


def _brought(data: Data, protocol: str, fate: Data) -> str | None:
    """Return the words of what a session was opened with; None of anything else."""
    material: dict[str, str] = {name: each["text"] for name, each in data["material"].items()}
    match protocol, fate.get("what"):
        case "roundtable", "elaboration":
            return material.get("topic", "")
        case "review", "claim":
            claims, place = json.loads(material.get("claims") or "[]"), int(str(fate["id"]).removeprefix("C")) - 1
            return str(claims[place]["claim"]) if place < len(claims) else ""
        case "council", "ticket" | "file":
            rfc = json.loads(material["rfc"])
            listed = (*rfc.get("documents", ()), *rfc.get("tickets", ()))
            entry: Data = next((each for each in listed if each["key"] == fate["id"]), {})
            whole = rfc.get("id") or "RFC" if fate["id"] == "RFC" else fate["id"]
            return str(entry.get("id") or entry.get("name") or whole)
    return None
