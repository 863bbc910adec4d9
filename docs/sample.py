"""Records the session that the page plays on a first visit: run `python docs/sample.py` after a change of the rules.

It is the scripted review of the examples: a veto, a compromise, a second ballot, a fix that is owed.
"""

from __future__ import annotations

import asyncio
import json
import sys

from recorded import REVIEW, ROOT, record, written_down

from quorate.api.page import page_data

PATH = ROOT / "src" / "quorate" / "web" / "static" / "sample.json"


def main() -> None:
    data = page_data(written_down(asyncio.run(record(REVIEW)), REVIEW.title))
    PATH.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    sys.stdout.write(f"{PATH.relative_to(ROOT)}: {len(data['events'])} events, {PATH.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
