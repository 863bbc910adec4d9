"""Habits that keep the house as it is: sizes, names, reach, and nothing of anybody's machine in the repository.

Every exception is named with its reason. A list of exceptions may become shorter at any time, and longer with a reason.
"""

from __future__ import annotations

import re
import subprocess

import pytest

from tests import house

TABLES = "it ends in the protocol's table, and its verbs stand with it"
LARGE = {
    "quorate.api.temporal": "one seam to Temporal; its parts know each other",
    "quorate.participants.scriptfile": "one file format, read in one place",
    "quorate.protocols.council.rules.forms": "all forms of the council, which are part of its digest",
    "quorate.protocols.council.rules.protocol": TABLES,
    "quorate.protocols.debate.rules.protocol": TABLES,
    "quorate.protocols.review.rules.model": "all nouns of the review",
    "quorate.protocols.review.rules.protocol": TABLES,
    "quorate.protocols.workshop.rules.protocol": TABLES,
    "quorate.protocols.workshop.rules.recount": "a second statement of the rules, to become an oracle of the tests",
    "quorate.runtime.durable.workflow": "Temporal wants a workflow in one class",
    "quorate.worth.worth": "one value with all of its sentences",
}
NOUNS = {
    "quorate.api.label_meaning": "a meaning is a noun",
    "quorate.api.opening": "an opening is what a session begins with",
    "quorate.authoring": "the public module of authors, by the name they know",
    "quorate.cli.pending": "what is pending",
    "quorate.kit.wording": "wording is a noun",
    "quorate.protocols.workshop.rules.remaking": "to become an oracle of the tests",
    "quorate.protocols.workshop.rules.restaging": "to become an oracle of the tests",
    "quorate.verify.sampling": "sampling is a noun of statistics",
    "quorate.watching": "the room's name",
}
SPACES = {
    r"quorate\.protocols\.(\w+)\.": "a protocol is a namespace: none imports another",
    r"quorate\.(http|mcp)\.": "what goes over the wire has the name of what it carries",
    r"quorate\.watching\.notes$": "notes are named after what happened",
    r"quorate\.runtime\.durable\.": "messages to Temporal are named after what they carry",
    r"quorate\.(lab|simulate)\.": "experiments have words of their own",
}
"""Where a class may have the name of another one elsewhere."""
TWICE = 45
"""Class names that still stand twice within one of these spaces, or outside of them. It may only become less."""
READ = 1_300
LOADED = 220
NOT_OURS = re.compile(
    r"(?<![\w.])/root/|index-url *[= ] *https?://(?!example)|\"resolved\": *\"http|(?m:^registry *= *[\"{])"
)
"""The home of whoever builds it, and hosts of package registries."""


def test_files_have_one_purpose_and_fit_one_reading() -> None:
    assert set(house.large_files()) == set(LARGE), "divide the file, or say here why it is one"


def test_every_module_is_reached() -> None:
    assert house.unreached() == []


def test_modules_are_nouns() -> None:
    assert set(house.verbs()) == set(NOUNS), "name the module by what is inside"


def test_only_the_catalog_finds_protocols() -> None:
    """The example of an HTTP request has to name one; import contracts see to the rest."""
    assert house.knowing() == ["quorate.http.sessions"]


def test_one_word_has_one_meaning() -> None:
    twice = [name for name, where in house.classes().items() if _in_one_space(where)]
    assert len(twice) <= TWICE, sorted(twice)


def _in_one_space(where: list[str]) -> bool:
    spaces = [_space(name) for name in where]
    return len(spaces) != len(set(spaces))


def _space(name: str) -> str:
    found = (re.match(pattern, name) for pattern in SPACES)
    return next((match.group() for match in found if match is not None), "")


def test_the_engine_and_one_protocol_are_read_within_an_hour() -> None:
    assert house.reading_path() <= READ


def test_a_debate_loads_no_other_protocol() -> None:
    assert house.loaded_for_a_debate() <= LOADED


def test_the_map_shows_the_figures_that_the_command_prints() -> None:
    assert house.table() in (house.ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"), "python -m tests.house"


def test_nothing_of_anybodys_machine_is_in_the_repository() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=house.ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = []
    for name in listed.stdout.splitlines():
        path = house.ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".json"} and name != "tests/test_tidy.py":
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            found += [f"{name}: {hit.group()}" for hit in NOT_OURS.finditer(text)]
    assert found == []
