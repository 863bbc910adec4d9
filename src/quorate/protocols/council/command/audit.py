"""`audit`: whether a council's bundle, by whomever it was written, keeps the rules of the council."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import json_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json
from quorate.cli.text import count, one_line

if TYPE_CHECKING:
    from quorate.protocols.council.world.bundle_audit import Audited, Deviation


@click.command(
    cls=Command,
    examples=(
        "quorate audit result/rfc_review.yaml",
        "quorate audit evidence/rfc/RFC-0042/reviews/rfc_review_20260126.yaml --json",
    ),
)
@click.argument("bundle", type=click.Path(path_type=Path))
@json_option
def audit(bundle: Path, as_json: bool) -> int:
    """Check any council bundle against the rules of the council.

    BUNDLE is an evidence bundle in YAML or JSON, by Quorate, another tool or a model, or a folder with one. Each
    deviation is told with the rule that it breaks, its place and what would be right; what a bundle does not record is
    noted and is no deviation. Exit code 0 if it keeps the rules, 1 if not.
    """
    from quorate.protocols.council.world.bundle_audit import audit_file

    found = audit_file(bundle)
    if as_json:
        out_json(_plain(found))
    else:
        out("\n".join(_told(found)))
    return 0 if found.holds else 1


def _plain(audited: Audited) -> dict[str, Any]:
    return {
        "bundle": audited.file,
        "rfc_id": audited.rfc,
        "verdict": audited.verdict,
        "holds": audited.holds,
        "broken": audited.found.broken,
        "missing": audited.found.missing,
        "left_out": audited.found.left_out,
        "deviations": [
            {
                "kind": each.kind.name,
                "rule": each.rule,
                "place": each.place,
                "line": each.line,
                "says": each.says,
                "right": each.right,
            }
            for each in audited.found.deviations
        ],
    }


def _told(audited: Audited) -> Iterator[str]:
    found = audited.found
    broken = [each for each in found.deviations if each.kind.name == "BROKEN"]
    missing = [each for each in found.deviations if each.kind.name == "MISSING"]
    for each in broken:
        yield f"{each.rule:<4} {_place(audited, each)}"
        yield f"     {one_line(each.says)}"
        yield f"     right: {one_line(each.right)}"
    if missing:
        yield "Not recorded, so that it cannot be checked:"
    for each in missing:
        yield f"{each.rule:<4} {one_line(each.place)}: {one_line(each.says)}"
    if found.left_out:
        yield f"and {found.left_out:,} more that are not listed"
    about = " ".join(one_line(word, 60) for word in (audited.rfc, audited.verdict) if word)
    yield f"{one_line(audited.file)}: {about + ', ' if about else ''}{_summed(audited)}"


def _place(audited: Audited, deviation: Deviation) -> str:
    place = one_line(deviation.place)
    return place if deviation.line is None else f"{place} ({one_line(audited.file)}:{deviation.line})"


def _summed(audited: Audited) -> str:
    found = audited.found
    kept = "keeps the rules" if audited.holds else count(found.broken, "deviation")
    return f"{kept}, {found.missing:,} not recorded" if found.missing else kept
