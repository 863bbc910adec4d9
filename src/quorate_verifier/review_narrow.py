"""What follows in a narrow review: its questions, hits and refutations, by the rules R50 to R54."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from quorate_verifier.rules import Asked, Heard

READINGS = ("read", "narrow")
"""The briefs of those who are asked about a part of the change."""
WEIGHS = {
    **{"attack": ("security", "critical"), "lost data": ("data-loss", "critical")},
    **dict.fromkeys(("wrong result", "crash"), ("correctness", "high")),
    **{"race": ("concurrency", "high"), "hidden error": ("error-handling", "medium"), "leak": ("operations", "medium")},
}
"""Rule and severity of the item that a hit of each kind becomes (R51)."""
STANDINGS = {"holds": "confirmed", "does not hold": "refuted", "cannot tell": "plausible"}


def found(reply: Mapping[str, Any], part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield what a reader of a part found as items: its own, or its hits (R46, R51)."""
    yield from reply.get("items", ())
    for hit in reply.get("hits", ()):
        rule, severity = WEIGHS[hit["kind"]]
        made = {"path": _file_of(int(hit["line"][1:]), part), "rule": rule, "severity": severity, "quoted": True}
        yield made | {"unfounded": hit["unfounded"], "consequence": hit["fails"]}


def _file_of(line: int, part: Mapping[str, Any]) -> str:
    """Return the file that a changed line stands in."""
    return next(f"F{span['file']}" for span in part["spans"] if span["first"] <= line <= span["last"])


def claims_to_refute(keys: Iterable[str]) -> list[Asked]:
    """Return the asks that put each hit to the skeptic (R52)."""
    return [("skeptic", "refute", [key]) for key in keys]


def doubts(heard: Sequence[Heard]) -> tuple[dict[str, str], set[str]]:
    """Return by item what the skeptic makes of it, and the items that it refutes (R23, R52)."""
    told, refuted = dict[str, str](), set[str]()
    for each in heard:
        if each.reply is not None and each.brief == "refute":
            told[each.keys[0]] = STANDINGS[each.reply["answer"]]
        elif each.reply is not None:
            told |= {key: said["standing"] for key, said in each.reply["doubts"].items()}
            refuted |= {key for key in each.reply["quoted"] if told.get(key) == "refuted"}
    return told, refuted | {each.keys[0] for each in heard if each.brief == "refute" and _falls(each)}


def _falls(each: Heard) -> bool:
    return each.reply is not None and each.reply["answer"] == "does not hold"
