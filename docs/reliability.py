"""Writes what the commands of docs/reliability.md print into that page, so that no figure in it is typed.

    python docs/reliability.py --page docs/performance.md engine      the same for another page
    python docs/reliability.py                          run every command, and replace its block
    python docs/reliability.py faults kills             only these
    python docs/reliability.py kills --output FILE      what the command has printed already

A block begins with a comment that names it and its command; the text behind it is replaced.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = Path(__file__).with_name("reliability.md")
BLOCK = re.compile(r"<!-- (?P<name>\w+): (?P<command>.+?) -->\n\n```text\n(?P<output>.*?)```\n", re.DOTALL)


def main(argv: list[str] | None = None) -> int:
    given = argparse.ArgumentParser(add_help=False)
    given.add_argument("--page", type=Path, default=PAGE, help="the page, if it is another one")
    page: Path = given.parse_known_args(argv)[0].page
    text = page.read_text(encoding="utf-8")
    blocks = {found["name"]: found["command"] for found in BLOCK.finditer(text)}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, parents=[given]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which blocks: {', '.join(blocks)}")
    parser.add_argument("--output", type=Path, help="a file with what the command has printed")
    asked = parser.parse_args(argv)
    names = asked.names or list(blocks)
    if odd := [name for name in names if name not in blocks]:
        parser.error(f"the page has no block {odd[0]!r}; it has {', '.join(blocks)}")
    if asked.output is not None and len(names) != 1:
        parser.error("--output goes with one name")
    for name in names:
        printed = _printed(blocks[name]) if asked.output is None else asked.output.read_text(encoding="utf-8")
        text = replaced(text, name, printed)
        page.write_text(text, encoding="utf-8")
    return 0


def replaced(text: str, name: str, printed: str) -> str:
    """Return the page with another output in the block of this name."""

    def block(found: re.Match[str]) -> str:
        if found["name"] != name:
            return found[0]
        lines = "\n".join(line.rstrip() for line in printed.strip().splitlines())
        return f"<!-- {name}: {found['command']} -->\n\n```text\n{lines}\n```\n"

    return BLOCK.sub(block, text)


def _printed(command: str) -> str:
    """Run a command in the project's folder; one that fails leaves the page as it was."""
    sys.stderr.write(f"$ {command}\n")
    words = [sys.executable if word == "python" else word for word in shlex.split(command)]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
