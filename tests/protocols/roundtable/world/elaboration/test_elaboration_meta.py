"""meta.json: what it means (the 21 cases of seed 001 and more), and how its text grows by one record (T24)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.errors import InputError
from quorate.protocols.roundtable.world.elaboration.meta import KNOWN, PHASES, Meta, baseline, max_turns_of, normalise
from quorate.protocols.roundtable.world.elaboration.metatext import (
    REPLACED,
    append_record,
    first_text,
    is_recorded,
    parse,
)
from quorate.protocols.roundtable.world.elaboration.read import read_elaboration

RECORD = {
    "step_id": "01-03",
    "turn_count": 8,
    "personas_active": ["business-analyst", "solutions-architect", "system-designer"],
    "timestamp": "2026-01-02T03:04:05Z",
    "synthesis_summary": "Exports are limited to a hundred rows.",
    "session": "roundtable-1",
    "elaboration": 1,
}
BASE: dict[str, Any] = {
    "source": "github",
    "source_id": "GH-21",
    "slug": "export",
    "created_at": "2026-01-01T00:00:00Z",
    "analysis_status": "partial",
    "phases_completed": ["00-quick-scan"],
    "codebase_hash": "abc",
    "steps_completed": ["00-01", "00-02"],
    "depth_overrides": {"01-requirements": "deep"},
}
ABSENT = object()


def held(**more: Any) -> dict[str, Any]:
    return BASE | {name: value for name, value in more.items() if value is not ABSENT}


def reading(tmp_path: Path, text: str) -> Meta:
    (tmp_path / "meta.json").write_text(text, encoding="utf-8")
    return read_elaboration(tmp_path).meta


# The 21 cases: what is read


@pytest.mark.parametrize("value", [ABSENT, None, "yes", 7, {"a": 1}, True])
def test_elaborations_that_are_no_list_are_read_as_none(tmp_path: Path, value: Any) -> None:
    meta = reading(tmp_path, json.dumps(held(elaborations=value)))
    assert meta.data["elaborations"] == []
    assert len(meta.warnings) == (value is not ABSENT and value is not None)


@pytest.mark.parametrize("value", [ABSENT, None, [1], "x", 3])
def test_a_configuration_that_is_no_object_is_read_as_empty(tmp_path: Path, value: Any) -> None:
    meta = reading(tmp_path, json.dumps(held(elaboration_config=value)))
    assert meta.data["elaboration_config"] == {}
    assert max_turns_of(meta.data["elaboration_config"]) == 10


def test_what_is_there_is_kept(tmp_path: Path) -> None:
    full = held(elaborations=[RECORD], elaboration_config={"max_turns": 5}, mine={"deep": [1, 2]})
    meta = reading(tmp_path, json.dumps(full))
    assert meta.data == full
    assert meta.warnings == ()
    assert not meta.missing


def test_a_missing_file_is_the_baseline(tmp_path: Path) -> None:
    meta = read_elaboration(tmp_path).meta
    assert meta.missing
    assert meta.data == baseline(tmp_path.name)
    assert (meta.data["elaborations"], meta.data["elaboration_config"]) == ([], {})
    assert not (tmp_path / "meta.json").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,\n "b" 2}', "meta.json:2: is not JSON: Expecting ':' delimiter in column 6"),
        ("", "meta.json:1: is not JSON"),
        ("[]", "is not a JSON object"),
        ("null", "is not a JSON object"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ('{"a": ' + "9" * 5_000 + "}", "is not usable JSON"),
        ("[" * 100_000, "is nested too deep"),
        ('{"a": 1} {"b": 2}', "Extra data"),
    ],
)
def test_a_corrupt_file_is_an_error_that_says_where_and_what_to_do(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        reading(tmp_path, text)
    assert says in str(caught.value)
    assert "nothing was changed" in str(caught.value)
    assert (tmp_path / "meta.json").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("data", "says"),
    [(b'{"a": "\xff"}', "is not UTF-8 in line 1"), (b"{\n\0}", "zero byte in line 2"), (b" " * 5_000_000, "more than")],
)
def test_a_file_that_is_no_text_is_an_error(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "meta.json").write_bytes(data)
    with pytest.raises(InputError, match=says):
        read_elaboration(tmp_path)
    assert (tmp_path / "meta.json").read_bytes() == data


def test_the_old_flag_means_that_all_five_phases_are_done() -> None:
    meta = normalise({"phase_a_completed": True, "slug": "x"})
    assert meta.data["analysis_status"] == "analyzed"
    assert meta.data["phases_completed"] == list(PHASES)
    assert len(PHASES) == 5
    assert normalise({"phase_a_completed": False}).data["analysis_status"] == "raw"
    newer = normalise({"phase_a_completed": True, "analysis_status": "partial", "phases_completed": []}).data
    assert (newer["analysis_status"], newer["phases_completed"]) == ("partial", [])


def test_other_odd_values_are_told_and_mended() -> None:
    meta = normalise(held(analysis_status="half", steps_completed="01-01", elaborations=[RECORD, "x", 3]))
    assert meta.data["analysis_status"] == "raw"
    assert meta.data["steps_completed"] == []
    assert meta.data["elaborations"] == [RECORD, "x", 3]
    assert [each.split()[0] for each in meta.warnings] == ["analysis_status", "steps_completed", "elaborations"]


def test_only_known_keys_are_shown_to_the_session() -> None:
    shown = normalise(held(password="hunter2")).shown()
    assert set(shown) == {*KNOWN, "missing", "warnings"}
    assert "hunter2" not in json.dumps(shown)


@pytest.mark.parametrize(
    ("config", "turns"),
    [
        ({}, 10),
        (None, 10),
        ([], 10),
        ({"max_turns": 3}, 3),
        ({"max_turns": 2}, 10),
        ({"max_turns": 0}, 10),
        ({"max_turns": -5}, 10),
        ({"max_turns": 25}, 25),
        ({"max_turns": 7.5}, 10),
        ({"max_turns": "7"}, 10),
        ({"max_turns": True}, 10),
        ({"max_turns": None}, 10),
        ({"max_turn": 5}, 10),
    ],
)
def test_the_turn_limit_is_a_whole_number_from_three_or_ten(config: Any, turns: int) -> None:
    """T3."""
    assert max_turns_of(config) == turns


# The 21 cases: what is written


@pytest.mark.parametrize("value", [ABSENT, [], [RECORD], [RECORD, "odd", None]])
@pytest.mark.parametrize("indent", [None, 2, 4, "\t", 0])
def test_a_record_is_appended_and_nothing_else_changes(value: Any, indent: Any) -> None:
    before = held(elaborations=value, elaboration_config={"max_turns": 4}, after="x")
    text = json.dumps(before, indent=indent, ensure_ascii=False)
    grown = append_record(text, RECORD)
    earlier = [] if value is ABSENT else value
    assert grown.repaired == ()
    assert parse(grown.text) == before | {"elaborations": [*earlier, RECORD]}
    assert is_subsequence(text, grown.text), "only insertions"
    again = json.dumps(parse(grown.text), indent=indent, ensure_ascii=False)
    if value != []:
        assert grown.text == again, "laid out as the rest of the file is"


def test_records_stack_and_the_newest_is_last() -> None:
    """T24: two elaborations of one step are two records."""
    text = json.dumps(held(), indent=2) + "\n"
    for number in range(1, 6):
        text = append_record(text, RECORD | {"elaboration": number}).text
    assert [each["elaboration"] for each in parse(text)["elaborations"]] == [1, 2, 3, 4, 5]
    assert text.endswith("}\n")


@pytest.mark.parametrize("value", ["yes", 7, {"a": [1]}, True, 1.50])
def test_a_value_of_a_wrong_type_is_replaced_and_kept(value: Any) -> None:
    before = held(elaborations=value, elaboration_config=[value])
    grown = append_record(json.dumps(before, indent=2), RECORD)
    after = parse(grown.text)
    assert grown.repaired == ("elaborations", "elaboration_config")
    assert (after.pop("elaborations"), after.pop("elaboration_config")) == ([RECORD], {})
    assert after.pop(REPLACED) == {"elaborations": value, "elaboration_config": [value]}
    assert after == BASE


def test_null_holds_nothing_that_could_be_kept() -> None:
    grown = append_record('{"elaborations": null}', RECORD)
    assert grown.repaired == ("elaborations",)
    assert parse(grown.text) == {"elaborations": [RECORD]}


def test_what_was_replaced_once_is_not_replaced_again() -> None:
    text = json.dumps({REPLACED: "mine", "elaborations": "x"})
    text = append_record(text, RECORD).text
    again = append_record(text.replace('"elaborations": [', '"elaborations": 5, "old": ['), RECORD).text
    assert parse(again)[REPLACED] == "mine"
    assert parse(again)[f"{REPLACED}_2"] == {"elaborations": "x"}
    assert parse(again)[f"{REPLACED}_3"] == {"elaborations": 5}


@pytest.mark.parametrize(
    "text",
    [
        '{"n": 1.10, "big": 1e5, "huge": 123456789012345678901234567890}',
        '\ufeff{\r\n  "a": "\\u00e9\\/",\r\n  "elaborations": [ ]\r\n}\r\n',
        "{}",
        "  { }  ",
        '{"elaborations":[]}',
        '{"elaborations": [\n]}',
        '{"a": {"elaborations": []}, "b": ["}", "]", "\\""]}',
    ],
)
def test_how_somebody_wrote_it_stays(text: str) -> None:
    grown = append_record(text, RECORD).text
    assert is_subsequence(text, grown)
    assert parse(grown)["elaborations"][-1] == RECORD
    assert {**parse(grown), "elaborations": []} == {**parse(text), "elaborations": []}


@pytest.mark.parametrize("text", ['{"source": 1, "source": 2}', '{"a": {"b": 1, "b": 1}}', '{"a": [{"b": 1, "b": 1}]}'])
def test_a_key_that_stands_twice_is_refused_and_nothing_is_added(text: str) -> None:
    for read in (parse, lambda text: append_record(text, RECORD)):
        with pytest.raises(InputError, match=r"meta\.json: is not usable JSON: the key '\w+' appears twice"):
            read(text)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
NAMES = st.text(max_size=5) | st.sampled_from(["elaborations", "elaboration_config", REPLACED])


@given(st.dictionaries(NAMES, JSON, max_size=5), st.sampled_from([None, 0, 1, 2, "\t"]), st.booleans())
@settings(deadline=None)
def test_any_object_takes_a_record_and_loses_nothing(data: dict[str, Any], indent: Any, plain: bool) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=plain)
    grown = append_record(text, RECORD)
    after = parse(grown.text)
    assert after["elaborations"][-1] == RECORD
    assert is_recorded(after, "roundtable-1", 1)
    kept = json.dumps(after, sort_keys=True)
    for name, value in data.items():
        if name not in grown.repaired and name != "elaborations":
            assert after[name] == value
        elif value is not None and name in grown.repaired:
            assert json.dumps(value, sort_keys=True) in kept
    if not grown.repaired:
        assert is_subsequence(text, grown.text)


def test_a_record_is_known_by_session_and_elaboration() -> None:
    data = {"elaborations": ["odd", None, RECORD]}
    assert is_recorded(data, "roundtable-1", 1)
    assert not is_recorded(data, "roundtable-1", 2)
    assert not is_recorded(data, "roundtable-2", 1)
    assert not is_recorded({"elaborations": "x"}, "roundtable-1", 1)
    assert not is_recorded({}, "roundtable-1", 1)


def test_a_new_file_has_the_baseline_and_is_read_back(tmp_path: Path) -> None:
    meta = reading(tmp_path, first_text(RECORD, "export", "2026-01-02T03:04:05Z"))
    assert meta.warnings == ()
    assert list(meta.data) == list(KNOWN)
    assert meta.data["elaborations"] == [RECORD]
    assert (meta.data["slug"], meta.data["created_at"]) == ("export", "2026-01-02T03:04:05Z")
    assert (meta.data["analysis_status"], meta.data["elaboration_config"]) == ("raw", {})


def is_subsequence(short: str, long: str) -> bool:
    """Whether the long text is the short one with insertions."""
    rest = iter(long)
    return all(each in rest for each in short)
