"""docs/reliability.md: every block was printed by the command it names, and says that nothing failed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


def _writer() -> Any:
    spec = importlib.util.spec_from_file_location("reliability", ROOT / "docs" / "reliability.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITER = _writer()
BLOCKS = {found["name"]: found for found in WRITER.BLOCK.finditer(WRITER.PAGE.read_text(encoding="utf-8"))}
SAYS = {
    "faults": "\n0 failed",
    "kills": "no problems",
    "many": "times the ideal",
    "distributed": "2 workers, one killed: 100 of 100 sessions",
}


def test_the_page_has_its_four_blocks() -> None:
    assert set(BLOCKS) == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_a_block_was_printed_and_says_that_all_is_well(name: str) -> None:
    assert SAYS[name] in BLOCKS[name]["output"]


@pytest.mark.parametrize("name", SAYS)
def test_the_command_of_a_block_is_there(name: str) -> None:
    python, *words = BLOCKS[name]["command"].split()
    assert python == "python"
    file = words[1].replace(".", "/") + "/__main__.py" if words[0] == "-m" else words[0]
    assert (ROOT / file).is_file()


def test_only_the_named_block_is_replaced() -> None:
    page = (
        "before\n\n<!-- one: python a.py -->\n\n```text\nold\n```\n\n<!-- two: python b.py -->\n\n```text\nkept\n```\n"
    )
    written = WRITER.replaced(page, "one", "\nnew  \n more\n")
    assert written == page.replace("old", "new\n more")
