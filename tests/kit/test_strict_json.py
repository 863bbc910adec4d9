"""JSON that others wrote has one reading, or none."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate.kit.strict_json import strict_json

SOURCES = Path(__file__).parents[2] / "src" / "quorate"
OWN_HOOK = {"kit/strict_json.py", "evidence/text.py", "http/strict.py", "store/ledgertext.py", "codec/parse.py"}
"""Readers that refuse keys that stand twice with words of their own."""
NOT_FOREIGN = {
    *(
        "files/json_places.py",
        "api/forks.py",
        "protocols/council/world/gate_passage.py",
        "api/session_list.py",
        "api/page.py",
        "api/proofs.py",
    ),
    *(
        "api/protocol_catalog.py",
        "api/repairs.py",
        "protocols/roundtable/world/roundtable.py",
        "api/seats.py",
        "api/worker.py",
    ),
    *("cli/sessions.py", "evidence/bundle.py", "protocols/council/lab/trial.py"),
}
"""Readers of what this program has written itself, or has read strictly before."""
OTHERWISE = {
    "files/yaml.py": "the reader of YAML that comes next refuses keys that stand twice",
    "protocols/review/world/checks/manifests.py": "puts together what stands twice, so that nothing is hidden",
    "protocols/review/world/checks/matcher.py": "runs alone, and reads what was written for it",
    "participants/faults.py": "looks for the words of an error",
    "participants/local.py": "the reply was parsed strictly before",
}


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '[{"a": {"b": 1, "b": 1}}]', '{"a": NaN}', "{", ""])
def test_what_two_readers_could_read_in_two_ways_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"appears twice|not a JSON number|Expecting"):
        strict_json(text)


def test_plain_json_is_read_as_it_is() -> None:
    assert strict_json('{"a": [1, 2.5, null, {"a": "b"}], "b": {}}') == {"a": [1, 2.5, None, {"a": "b"}], "b": {}}
    assert strict_json(b"[true]") == [True]


def test_every_reader_of_json_is_strict_or_says_why_not() -> None:
    plain = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*.py")
        if "json.loads(" in (text := path.read_text(encoding="utf-8")) or "json.load(" in text
    }
    unknown = plain - OWN_HOOK - NOT_FOREIGN - set(OTHERWISE)
    assert not unknown, "use strict_json for what others wrote, or say here why not"
