"""The verifier as a program: `python -m quorate_verifier BUNDLE.json [--key FILE.pub] [--head HASH]`."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from quorate_verifier.reading import Unreadable
from quorate_verifier.report import Report
from quorate_verifier.signature import read_key
from quorate_verifier.verify import verify_file


def main(arguments: list[str] | None = None) -> int:
    """Check one bundle; return 0 if it holds, 1 if not or if it cannot be verified, 2 if it cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m quorate_verifier", description=__doc__)
    parser.add_argument("bundle", type=Path, help="an evidence bundle in JSON; its signatures are in BUNDLE.sig")
    parser.add_argument("--key", type=Path, action="append", default=[], help="a public key that has to have signed")
    parser.add_argument("--head", help="the hash in which the chain has to end")
    parser.add_argument("--json", action="store_true", help="print one JSON value instead of text")
    given = parser.parse_args(arguments)
    try:
        report = verify_file(given.bundle, [read_key(each) for each in given.key], given.head)
    except Unreadable as error:
        sys.stderr.write(f"{error}\n")
        return 2
    told = json.dumps(asdict(report) | {"holds": report.holds}, indent=2) if given.json else "\n".join(lines(report))
    sys.stdout.write(f"{told}\n")
    return 0 if report.holds else 1


def lines(report: Report) -> list[str]:
    """Return a report for people: differences, or what was derived and what was not."""
    told = [_plain(str(each)) for each in report.differences]
    told += [f"derived again: {each}" for each in report.derived]
    told += [f"not derived: {each}" for each in report.left_out]
    told += [f"not verified: {_plain(each)}" for each in report.unverified]
    told += [f"signed by {each}" for each in report.signers] or ["not signed"]
    told.append(f"{_plain(report.session)}: {_sum(report)}")
    return told


def _sum(report: Report) -> str:
    """Say in a few words what it comes to."""
    if report.holds:
        return f"holds, verdict {report.verdict}" if report.verdict else "holds, no verdict yet"
    number = len(report.differences)
    found = [f"{number} difference{'' if number == 1 else 's'}"] if number else []
    if report.unverified:
        found.append("only this was checked: " + "; ".join(report.derived))
    return f"not verified: {', '.join(found)}"


def _plain(text: str) -> str:
    """Keep a hostile bundle from speaking to the terminal."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


if __name__ == "__main__":
    sys.exit(main())
