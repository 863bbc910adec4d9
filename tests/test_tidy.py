"""Habits that keep the house as it is: sizes, names, reach, and nothing of anybody's machine in the repository.

Every exception is named with its reason. A list of exceptions may become shorter at any time, and longer with a reason.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.house import AGAIN, BEFORE, HERE, HOMES, House, before, in_one_space, table

TABLES = "it ends in the protocol's table, and its verbs stand with it"
LARGE = {
    "quorate.api.temporal": "one seam to Temporal; its parts know each other",
    "quorate.core.form_values": "forms filled in, and what a record notes of them; every session loads it",
    "quorate.participants.scriptfile": "one file format, read in one place",
    "quorate.protocols.council.rules.forms": "all forms of the council, which are part of its digest",
    "quorate.protocols.council.rules.protocol": TABLES,
    "quorate.protocols.debate.rules.protocol": TABLES,
    "quorate.protocols.review.rules.model": "all nouns of the review",
    "quorate.protocols.review.rules.protocol": TABLES,
    "quorate.protocols.workshop.rules.protocol": TABLES,
    "quorate_verifier.review": "the review's rules in one order; its items stand beside it",
    "quorate.runtime.durable.workflow": "Temporal wants a workflow in one class",
}
NOUNS = {
    "quorate.api.label_meaning": "a meaning is a noun",
    "quorate.api.opening": "an opening is what a session begins with",
    "quorate.authoring": "the public module of authors, by the name they know",
    "quorate.cli.pending": "what is pending",
    "quorate.verify.sampling": "sampling is a noun of statistics",
    "quorate.watching": "the room's name",
}
NAMING = {
    "quorate.api.results": "`check` tells whoever hands it the file of `quorate audit` which command that is for",
    "quorate.cli.bench_options": "an example of a setting, in a help text",
    "quorate.cli.ledger": "a command to begin with, where the list is empty",
    "quorate.cli.sessions": "a command to begin with, where the list is empty",
    "quorate.config": "an example of a key, in an error",
    "quorate.http.sessions": "the example of a request has to name one",
    "quorate.lab.redteam.families": "what an attacker says in plain English",
    "quorate.worth.votes": "the source of a measured figure",
}
"""What names a protocol outside its folder, in words for people; no code decides by it."""
TWICE = {
    "Deliberation": "the workflow's name on Temporal, which must not change; and what `Quorate.open` returns",
    "Desk": "each surface has one: all that its commands, handlers or tools have at hand",
}
_FORM = "a form, or a field of one: its name is in the digest of sessions that exist"
OTHER_THINGS = {
    "quorate.cli.desk.Place": "where a command works: the folder and the store that its options name",
    "quorate.kit.schedule.Turn": "authors know it by this name (`quorate.authoring`)",
    "quorate.protocols.council.audit.read.Bundle": "the bundle of a council, which its audit reads",
    "quorate.protocols.council.rules.model.Finding": "the finding before it is told as one of `kit/findings.py`",
    "quorate.protocols.review.rules.forms.Offer": _FORM,
    "quorate.protocols.roundtable.rules.forms.Entry": _FORM,
    "quorate.protocols.roundtable.rules.forms.Reading": _FORM,
    "quorate.protocols.roundtable.rules.personas.Persona": "its seed calls those who talk personas",
    "quorate.exam.paper.Twins": "two texts of the exam; the bench's are changes",
    "quorate.participants.token_odds.Respondent": "what a measured answer needs of one; see `respondent.py`",
    "quorate.protocols.roundtable.command.questions.Asking": "a question to the person that is being asked",
    "quorate.protocols.workshop.rules.forms.Reading": _FORM,
    "quorate.protocols.workshop.rules.forms.Ruling": _FORM,
    "quorate.protocols.workshop.rules.synthesis.Method": _FORM,
    "quorate.protocols.workshop.world.workshop.Sitting": "who takes part in a workshop",
}
"""Classes that have the name of a word of the glossary and are something else."""
WHOLE = {
    "quorate.api.worker_thread": "runs anything beside the loop of the journal; an opening is one use of it",
    "quorate.cli.estimate_report": "figures in words and columns; what is computed is another matter",
    "quorate.cli.worker": "a command, beside `workers`",
    "quorate.http.app": "what a test client runs without a server",
    "quorate.protocols.council.command.preview": "what is printed before a session; the review has such a module too",
    "quorate.protocols.council.rules.sameness": "what seats call the same; what they hold of it is another question",
    "quorate.protocols.council.world.gates.twins": "the one thing that code joins by itself",
    "quorate.protocols.council.world.gates.words": "the words of a text, without any gate",
    "quorate.protocols.council.rules.result.artifacts": "a part of the bundle, as all modules beside it",
    "quorate.protocols.council.world.gates.address": "the one gate whose own words speak to models",
    "quorate.protocols.council.world.gates.likeness": "a measure of two texts, without any gate",
    "quorate.protocols.council.world.rfc.plan": "what a ticket plans; `identity` and `references` read the rest",
    "quorate.protocols.review.command.preview": "what is printed before a session, as in the council",
    "quorate.protocols.review.rules.histories": "rounds of a finding; the board shows them",
    "quorate.protocols.roundtable.command.summary": "the words of what came of it; a screen shows them",
    "quorate.protocols.workshop.rules.documents.flow": "a diagram of its own",
}
"""Modules with one importer that would take them in, and why they stand alone."""
READ = 1_300
LONGEST_INVARIANT = 25
LOADED = 220
LOADED_WITH_FILES = 235
"""With `--out`: the HTML report shows the session as the page does, and the protocol with its diagram."""
NOT_OURS = re.compile(
    r"(?<![\w.])/root/|index-url *[= ] *https?://(?!example)|\"resolved\": *\"http|(?m:^registry *= *[\"{])"
)
"""The home of whoever builds it, and hosts of package registries."""


def test_files_have_one_purpose_and_fit_one_reading() -> None:
    assert set(HERE.large_files()) == set(LARGE), "divide the file, or say here why it is one"


def test_every_module_is_reached() -> None:
    assert HERE.unreached() == []


def test_modules_are_nouns() -> None:
    assert set(HERE.verbs()) == set(NOUNS), "name the module by what is inside"


def test_invariants_are_short_statements_and_what_decides_a_rule_again_is_an_oracle_in_tests() -> None:
    long = {name: lines for name, lines in HERE.invariants().items() if lines > LONGEST_INVARIANT}
    assert long == {}, "say it shorter, or let the oracle of the tests compute it"
    assert HERE.lines_of(AGAIN) == 0, "it belongs into tests/protocols/<name>/oracle"


def test_only_the_catalog_finds_protocols() -> None:
    """Import contracts see to the rest."""
    assert set(HERE.knowing()) == set(NAMING), "let its definition say it, or give the reason here"


def test_no_second_class_has_a_name() -> None:
    found = {name for name, where in HERE.classes().items() if in_one_space(where)}
    assert found == set(TWICE), "find another name, or say here why both have this one"


def test_a_class_that_is_named_by_a_word_of_the_glossary_is_that_thing() -> None:
    others = HERE.others_of_a_word()
    assert set(others) == set(OTHER_THINGS), "name it by what it is, or say here why it has the word's name"


def test_what_is_said_of_the_words_is_true() -> None:
    words, classes = HERE.words(), HERE.classes()
    assert {"Ask", "CommandEntry", "Reader"} <= set(words)
    assert set(HOMES) <= set(words)
    gone = [word for word, home in HOMES.items() if not any(re.fullmatch(home, each) for each, _ in classes[word])]
    assert gone == [], "HOMES in tests/house.py says where the class of a word stands"


def test_another_thing_by_a_word_of_the_glossary_is_found(tmp_path: Path) -> None:
    room = tmp_path / "src" / "quorate" / "store"
    room.mkdir(parents=True)
    glossary = "| word | means |\n| --- | --- |\n| Worst case | figures |\n| Seal | a chain |\n"
    (tmp_path / "GLOSSARY.md").write_text(glossary)
    (room / "clubs.py").write_text("".join(f"class {name}:\n    pass\n" for name in ("Seal", "WorstCase", "Otter")))
    assert set(House(tmp_path).others_of_a_word()) == {"quorate.store.clubs.Seal", "quorate.store.clubs.WorstCase"}


def test_no_module_is_a_mere_part_of_another() -> None:
    assert set(HERE.thin()) == set(WHOLE), "merge it into its importer, or say here what it is by itself"


def test_the_engine_and_one_protocol_are_read_within_an_hour() -> None:
    assert HERE.reading_path() <= READ, "shorten what is read first (READING in tests/house.py) before you add to it"


@pytest.mark.parametrize(
    ("options", "seats", "most"),
    [
        ((), "{}", LOADED),
        ((), "{chair: person}", LOADED),
        ((), "{jugde: person}", LOADED),
        (("--out", "left"), "{}", LOADED_WITH_FILES),
    ],
    ids=["alone", "with a seat of another protocol in its panel", "with a typo in its panel", "with files"],
)
def test_a_debate_loads_no_other_protocol(options: tuple[str, ...], seats: str, most: int) -> None:
    loaded = HERE.loaded_for_a_debate(*options, seats=seats)
    assert [name for name in loaded if re.match(r"quorate\.protocols\.(?!debate)", name)] == []
    assert len(loaded) <= most


@pytest.mark.slow
def test_the_figures_from_before_are_those_that_the_command_counts() -> None:
    if (counted := before()) is None:
        pytest.skip("the history of the repository is not at hand")
    assert counted == BEFORE


def test_the_map_shows_the_figures_that_the_command_prints() -> None:
    assert table() in (HERE.root / "ARCHITECTURE.md").read_text(encoding="utf-8"), "python -m tests.house --write"


def test_nothing_of_anybodys_machine_is_in_the_repository() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=HERE.root, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    found = []
    for name in listed.stdout.splitlines():
        path = HERE.root / name
        if path.suffix in {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".json"} and name != "tests/test_tidy.py":
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            found += [f"{name}: {hit.group()}" for hit in NOT_OURS.finditer(text)]
    assert found == []
