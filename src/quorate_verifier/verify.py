"""One bundle in, one report out: `verify` for data, `verify_file` for a file with its signatures beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from quorate_verifier.council import Council
from quorate_verifier.debate import Debate
from quorate_verifier.fate_words import taken_as_stated
from quorate_verifier.odds import unlike_the_measured
from quorate_verifier.reading import Unreadable, read, what_is_strange
from quorate_verifier.report import MOST_DIFFERENCES, Difference, Report, shown
from quorate_verifier.review import Review
from quorate_verifier.roundtable import Roundtable
from quorate_verifier.rules import Rules
from quorate_verifier.seal import broken_chain, opening_of, unlike_the_entries, unlike_the_opening, wrong_shape
from quorate_verifier.signature import check_signatures, signature_file
from quorate_verifier.stated import unlike_what_follows
from quorate_verifier.unfit import unlike_the_unfit
from quorate_verifier.version_1.council import Council as Council1
from quorate_verifier.version_1.debate import Debate as Debate1
from quorate_verifier.version_1.review import Review as Review1
from quorate_verifier.version_1.roundtable import Roundtable as Roundtable1
from quorate_verifier.version_1.workshop import Workshop as Workshop1
from quorate_verifier.vocabulary import unknown_names, wrong_kinds
from quorate_verifier.walk import Walk
from quorate_verifier.workshop import Workshop

PROTOCOLS: dict[str, dict[str, type[Rules]]] = {
    "council": {"1": Council1, "2": Council},
    "debate": {"1": Debate1, "2": Debate},
    "review": {"1": Review1, "2": Review},
    "roundtable": {"1": Roundtable1, "2": Roundtable},
    "workshop": {"1": Workshop1, "2": Workshop},
}
"""The rules by the name of the protocol, and by its version."""
SEALED = "the chain of hashes, the material's digests, and that every reply is told as it was sealed"
LEFT_OUT = (
    "marks of replies (a text is blank, a quotation occurs): taken as recorded; `quorate check` computes them again",
    "the digest of the rules, which `quorate check` computes where the protocol is installed",
    "words that explain (the claims of tests, reasons of refusals, names of forms), and sums of tokens, cost and worth",
)
"""What is not derived of any session: the first reads words by rules of their own, the others decide nothing."""


def verify(data: Any, signatures: Any = None, keys: Sequence[bytes] = (), head: str | None = None) -> Report:
    """Check a bundle, with what stands in its signature file; `keys` each have to have signed it.

    `head` is the hash that the chain must end in, where it is known from elsewhere.
    """
    report = Report()
    if strange := what_is_strange(data):
        report.add([Difference("", strange, "plain data")])
    if report.differences or report.add(wrong_shape(data)):
        return report
    report.session, report.head = data["session"], str(data["seal"].get("head"))
    if report.add(_safely(broken_chain(data), "/entries")):
        return report
    if head is not None and head != report.head:
        report.add([Difference("/seal/head", f"it is {report.head}", f"{head}, as known from elsewhere")])
    report.add(_safely(unlike_the_opening(data), "/entries/0"))
    report.add(_safely(unlike_the_entries(data), "/transcript"))
    report.add(_safely(unlike_the_measured(data), "/entries"))
    report.derived.append(SEALED)
    _walk(data, report)
    report.add(_safely(wrong_kinds(data, report.protocol), "/entries"))
    places = islice(unknown_names(data, report.protocol), MOST_DIFFERENCES)
    report.unverified += [f"{each} is no name that this verifier knows, so it was not looked at" for each in places]
    found, report.signers = check_signatures(data, signatures, keys)
    report.add(found)
    return report


def _safely(found: Iterator[Difference], place: str) -> Iterator[Difference]:
    """Yield what is found; a shape that nobody thought of is a difference too."""
    try:
        yield from found
    except Exception as error:
        yield Difference(place, f"it cannot be looked at: {type(error).__name__} {error}"[:200], "a bundle's shape")


def _walk(data: dict[str, Any], report: Report) -> None:
    opening = opening_of(data)
    report.protocol = str(opening.get("protocol"))
    known = _rules(opening)
    if known is None:
        report.unverified.append(_unknown(data, opening))
        seats = {each.get("ask"): each.get("seat") for each in data["transcript"]}
        report.add(_safely(unlike_the_unfit(data, seats, None), "/fates"))
        return
    try:
        rules = known(opening["settings"], data["protocol"]["briefs"])
        rules.seed = opening["seed"]
    except Exception as error:  # settings of any shape
        report.add([Difference("/entries/0/body/opening/settings", f"{error!r} keeps it from being read", "settings")])
        return
    walk = Walk(data["entries"], rules).go()
    report.add(_safely(unlike_what_follows(data, walk), "/decisions"))
    if "fates" in data and type(walk.rules).fates is Rules.fates:
        report.unverified.append(f"/fates: what became of what was said is not derived for {report.protocol}")
    report.verdict = walk.verdict
    report.derived.append(known.derived)
    words = taken_as_stated(report.protocol) if "fates" in data else ()
    report.left_out += [*known.left_out, *words, *LEFT_OUT]


def _rules(opening: dict[str, Any]) -> type[Rules] | None:
    """Return the rules that the opening names; a name or a version that is no text names none."""
    name, version = opening.get("protocol"), opening.get("version")
    return PROTOCOLS.get(name, {}).get(version) if isinstance(name, str) and isinstance(version, str) else None


def _unknown(data: dict[str, Any], opening: dict[str, Any]) -> str:
    """Say that nothing was derived, why, and what is left as the bundle states it."""
    name, version = opening.get("protocol"), opening.get("version")
    if not isinstance(name, str):
        why = "the opening names no protocol"
    elif name in PROTOCOLS:
        versions = ", ".join(PROTOCOLS[name])
        why = f"this verifier knows {name} in version {versions}, and not in version {shown(version)}"
    else:
        why = f"this verifier does not know the protocol {shown(name)}; it knows {', '.join(PROTOCOLS)}"
    stated = data["verdict"]
    verdict = f"the verdict {shown(stated.get('verdict'))}" if stated is not None else "that there is no verdict"
    return f"{why}: no ask, move or tally was derived, and {verdict} stands only as the bundle states it"


def verify_file(path: Path, keys: Sequence[bytes] = (), head: str | None = None) -> Report:
    """Check a bundle in a JSON file and the signatures in the file beside it; Unreadable where there is no JSON."""
    beside = signature_file(path)
    return verify(read(path), read(beside) if beside.exists() else None, keys, head)


__all__ = ["Unreadable", "verify", "verify_file"]
