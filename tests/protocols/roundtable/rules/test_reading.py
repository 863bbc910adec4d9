"""Reading a person's turn (T15): the sentences of turns.txt, one by one, and anything at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.errors import SettingError
from quorate.core.forms import Key
from quorate.protocols.roundtable.rules.forms import Intent
from quorate.protocols.roundtable.rules.model import RoundtableSettings
from quorate.protocols.roundtable.rules.personas import cast as cast_of
from quorate.protocols.roundtable.rules.sentences import MOST_READ, sentences
from quorate.protocols.roundtable.rules.turn_reader import TurnRead, read_turn

PERSONAS = {
    Key("business-analyst"): "Maya",
    Key("solutions-architect"): "Alex",
    Key("system-designer"): "Jordan",
}
KEYS = {name.lower(): key for key, name in PERSONAS.items()}


def listed() -> list[tuple[str, str, str]]:
    lines = (Path(__file__).parent / "turns.txt").read_text(encoding="utf-8").split("\n")
    rows = [line for line in lines if line and not line.startswith("#")]
    return [(row[:14].strip(), row[14:22].strip(), row[22:].replace("\\n", "\n")) for row in rows]


TURNS = listed()


@pytest.mark.parametrize(("intent", "who", "words"), TURNS, ids=[words or "nothing" for _, _, words in TURNS])
def test_a_turn_is_read_as_it_is_meant(intent: str, who: str, words: str) -> None:
    found = read_turn(words, PERSONAS)
    assert (found.intent, found.addressed) == (Intent(intent), KEYS.get(who)), found


def test_the_list_is_long_and_every_intent_has_its_share() -> None:
    counts = {intent: sum(row[0] == intent.value for row in TURNS) for intent in Intent}
    assert len(TURNS) >= 350
    assert all(count >= 6 for count in counts.values()), counts
    assert len({words for _, _, words in TURNS}) == len(TURNS)


def test_the_rules_of_the_table_are_those_that_decide() -> None:
    """The table at the head of the module names every rule that is given as a reason, and no other."""
    import quorate.protocols.roundtable.rules.turn_reader as module

    rows = [line.split("|") for line in (module.__doc__ or "").split("\n") if line.startswith("| ")]
    told = {row[1].strip(): row[3].strip() for row in rows if row[1].strip()[:1].isalpha() and row[1].strip() != "rule"}
    found = {(each.rule, each.intent.name) for each in (read_turn(words, PERSONAS) for _, _, words in TURNS)}
    assert {rule for rule, _ in found} == set(told)
    assert all(told[rule] == intent for rule, intent in found)


def test_other_personas_have_other_names() -> None:
    cast = {Key("a"): "Jean-Luc", Key("b"): "José", Key("c"): "Nia"}
    assert read_turn("Jean-Luc, what now?", cast).addressed == "a"
    jean = read_turn("Jean, what now?", cast)
    assert (jean.intent, jean.addressed) == (Intent.STRANGER, "a")
    assert read_turn("jose: what now?", cast).addressed == "b"
    assert read_turn("Alex, what now?", cast).intent is Intent.STRANGER
    assert read_turn("Jean-Luc's idea, José's words", cast).intent is Intent.CONTRIBUTION
    assert read_turn("What do you think, Nia?", cast).addressed == "c"


@pytest.mark.parametrize("name", ["Done", "Team", "Will", "Mark", "Back", "All"])
def test_a_name_that_is_also_a_word_keeps_its_bearer_reachable(name: str) -> None:
    cast = {Key("a"): name, Key("b"): "Nia"}
    assert read_turn(f"{name}, what about the cache?", cast).addressed == "a"
    assert read_turn("The cache is cold.", cast).intent is Intent.CONTRIBUTION


@pytest.mark.parametrize(
    ("words", "intent", "who"),
    [
        ("Will that scale?", "contribution", None),
        ("Will we keep the index?", "contribution", None),
        ("So will the job run?", "contribution", None),
        ("So, will you do it?", "contribution", None),
        ("Nia, will you do it?", "address", "n"),
        ("May I ask who owns it?", "contribution", None),
        ("It may, it will.", "contribution", None),
        ("Mark it as deleted", "contribution", None),
        ("Mark and sweep", "contribution", None),
        ("Search, mark and delete", "contribution", None),
        ("mark done", "contribution", None),
        ("Mark the row as deleted and wrap up", "unclear", None),
        ("May we wrap up?", "exit", None),
        ("Thanks Will, we're done", "exit", None),
        ("Will, what now?", "address", "w"),
        ("What do you think, Will?", "address", "w"),
        ("mark: what now?", "address", "k"),
        ("I wonder whether @may has numbers", "address", "m"),
        ("Thanks Mark.", "address", "k"),
        ("Will?", "address", "w"),
        ("Will and May, what now?", "address", "w"),
        ("Thanks, Mark. May, what now?", "address", "m"),
    ],
)
def test_a_name_that_is_also_a_word_needs_a_pause(words: str, intent: str, who: str | None) -> None:
    cast = {Key("w"): "Will", Key("m"): "May", Key("k"): "Mark", Key("n"): "Nia"}
    found = read_turn(words, cast)
    assert (found.intent, found.addressed) == (Intent(intent), who), found


@pytest.mark.parametrize("first", ["Team", "Everyone", "Done", "Back", "Exit", "Stop", "Wrap", "Skip", "All", "Dóne"])
def test_a_persona_is_not_called_as_the_table_or_an_exit_is(first: str) -> None:
    briefs = {"roles/a": f"# {first} Haddad, Tester", "roles/b": "# Nia Rossi, Analyst"}
    with pytest.raises(SettingError, match="gives the persona the reserved first name"):
        cast_of(RoundtableSettings(personas=("a", "b")), briefs)
    briefs["roles/a"] = "# Will Haddad, Tester"
    assert cast_of(RoundtableSettings(personas=("a", "b")), briefs).personas[0].first == "Will"


def test_first_names_that_are_read_alike_are_the_same() -> None:
    briefs = {"roles/a": "# José Haddad, Tester", "roles/b": "# Jose Rossi, Analyst"}
    with pytest.raises(SettingError, match="who are both called"):
        cast_of(RoundtableSettings(personas=("a", "b")), briefs)


def test_nobody_to_address_is_no_error() -> None:
    assert read_turn("Alex, what now?", {}).intent is Intent.CONTRIBUTION
    assert read_turn("done", {}).intent is Intent.EXIT


WORDS = [row[2] for row in TURNS] + ["Alex", "Maya,", "done", "not", "wrap up", '"', "'", "`", ">", ",", ":", "?", "\n"]


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)))
@settings(max_examples=400, deadline=None)
def test_anything_at_all_is_read_the_same_way_twice(text: str) -> None:
    found = read_turn(text, PERSONAS)
    assert isinstance(found, TurnRead)
    assert found == read_turn(text, PERSONAS)
    named = found.intent is Intent.ADDRESS or (found.intent is Intent.STRANGER and found.addressed is not None)
    assert (found.addressed in PERSONAS) == named
    assert 0 < len(f"{found.rule}: {found.reason}") <= 300, "it must fit into the form"
    assert (found.intent is Intent.SILENCE) <= (not any(each.isalnum() for each in text))


@given(
    st.sampled_from([row[2] for row in TURNS if row[0] != "silence"]),
    st.sampled_from([str.upper, str.title, str.lower]),
)
@settings(deadline=None)
def test_case_and_blanks_make_no_difference(words: str, case: object) -> None:
    assert callable(case)
    if any(mark in words for mark in ("\n", "`", "ß")):
        return
    changed = "  " + case(words).replace(" ", "  ") + " \n"
    assert read_turn(changed, PERSONAS).intent is read_turn(words, PERSONAS).intent


HOSTILE = {
    "one word": "x" * 1_000_000,
    "courtesies": "ok " * 300_000,
    "names": "Alex, " * 150_000,
    "joined names": "Alex and " * 100_000,
    "open quotes": "“" * 500_000,
    "quotation marks": '"' * 500_001,
    "apostrophes": " '" * 300_000,
    "backticks": "`" * 500_000,
    "fences": "``` " * 200_000,
    "stops": "." * 500_000 + "x",
    "questions": "done? " * 100_000,
    "commas": "," * 500_000,
    "exits": "let's wrap up " * 50_000,
    "expanding": "\ufdfa" * 50_000,
    "accents": "a" + "\u0301" * 500_000,
    "hyphens": "a-" * 300_000,
    "quoted lines": "> \n" * 200_000,
    "surrogates": "\ud800" * 1_000,
    "zeros": "\0" * 10_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_turn_is_read_no_further_than_the_bound(name: str) -> None:
    """Texts up to a hundred times as long as the form allows: what the rules look at stays as short."""
    looked_at = sentences(HOSTILE[name])
    assert sum(len(token) for each in looked_at for token in each.tokens) <= MOST_READ + 1
    assert read_turn(HOSTILE[name], PERSONAS).intent in Intent


def test_of_a_long_turn_both_ends_count() -> None:
    long = "The limit is a hundred, and the reason is the size of a page. " * 2_000
    assert read_turn(f"Alex, {long}", PERSONAS).addressed == KEYS["alex"]
    assert read_turn(f"{long} What do you think, Jordan?", PERSONAS).addressed == KEYS["jordan"]
    assert read_turn(f"{long} Let's wrap up.", PERSONAS).intent is Intent.EXIT
    assert read_turn(long, PERSONAS).intent is Intent.CONTRIBUTION
