"""What the verifier cannot derive it does not vouch for: unknown protocols, versions and names, and `true` for 1."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from click.testing import CliRunner

from quorate import catalog
from quorate.cli.main import cli
from quorate.evidence.bundle import schema
from quorate_verifier import verify
from quorate_verifier.__main__ import main
from quorate_verifier.vocabulary import FLAGS, NAMES, SETTINGS
from tests.verifier.played import PROTOCOLS, built, bundle_of, profiles, resealed, unfinished

Bundle = dict[str, Any]
MEASURED: Bundle = {
    **{"at": "stance", "value": "oppose", "said": "oppose", "seen": 900, "confidence": 61, "stated": 90},
    "shares": [{"answer": "synthesis", "share": 390}, {"answer": "oppose or veto", "share": 610}],
}


def opening(bundle: Bundle) -> Bundle:
    told: Bundle = bundle["entries"][0]["body"]["opening"]
    return told


def named(name: Any, version: Any = "1") -> Bundle:
    """A sealed bundle that names other rules and states that it was approved."""
    bundle = bundle_of("review", "four members", 5, 0, 0)
    bundle["protocol"] |= {"name": name, "version": version}
    opening(bundle).update(protocol=name, version=version)
    bundle["verdict"]["verdict"] = "APPROVED"
    return resealed(bundle)


def nameless() -> Bundle:
    bundle = named("x")
    del opening(bundle)["protocol"], bundle["protocol"]["name"]
    return resealed(bundle)


def versionless() -> Bundle:
    bundle = named("review")
    del opening(bundle)["version"], bundle["protocol"]["version"]
    return resealed(bundle)


UNKNOWN: dict[str, tuple[Callable[[], Bundle], str]] = {
    "another": (lambda: named("hiring"), "does not know the protocol 'hiring'"),
    "misspelt": (lambda: named("reveiw"), "does not know the protocol 'reveiw'"),
    "in capitals": (lambda: named("Review"), "does not know the protocol 'Review'"),
    "absent": (nameless, "names no protocol"),
    "no text": (lambda: named(["review"]), "names no protocol"),
    "a later version": (lambda: named("review", "3"), "not in version '3'"),
    "a version that is a number": (lambda: named("review", 1), "not in version 1"),
    "no version": (versionless, "not in version None"),
}


@pytest.mark.parametrize("case", UNKNOWN)
def test_rules_that_are_unknown_are_not_verified(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make, why = UNKNOWN[case]
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(make()), encoding="utf-8")
    assert main([str(path)]) == 1
    told = capsys.readouterr().out
    assert why in told
    assert "the verdict 'APPROVED' stands only as the bundle states it" in told
    assert "not verified: only this was checked: the chain of hashes" in told.splitlines()[-1]
    assert "holds" not in told
    assert main([str(path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["holds"] is False
    ended = CliRunner().invoke(cli, ["check", str(path)])
    assert ended.exit_code == 1
    assert f"{path}: holds" not in ended.stdout
    assert why in ended.stdout


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_verdict_of_a_session_that_has_not_concluded_is_found(protocol: str) -> None:
    bundle, ended = unfinished(protocol), bundle_of(protocol, profiles(protocol)[0], 3, 0, 0)
    assert ended["verdict"] is not None
    stated = {**bundle, "verdict": ended["verdict"]}
    assert "/verdict" in [each.place for each in verify(stated).differences]
    del bundle["verdict"]
    assert [each.place for each in verify(bundle).differences] == ["/verdict"]


def objects(value: Any, path: list[str]) -> Iterator[Bundle]:
    if not path:
        yield from [value] if isinstance(value, dict) else []
    elif path[0] == "*":
        for each in value.values() if isinstance(value, dict) else value:
            yield from objects(each, path[1:])
    elif value is not None and path[0] in value:
        yield from objects(value[path[0]], path[1:])


@pytest.mark.parametrize("pattern", NAMES)
def test_a_name_that_nobody_knows_is_not_verified(pattern: str) -> None:
    bundles = (
        bundle_of(each, profile, seed, 0.2, 0) for seed in range(9) for each in PROTOCOLS for profile in profiles(each)
    )
    path = pattern.split("/")[1:]
    if pattern.endswith("/ruled"):
        bundle = bundle_of("review", "four members", 5, 0, 0)
        ruled = {"verdict": "APPROVED", "by": "Ann", "reason": "so"}
        seq = len(bundle["entries"])
        bundle["entries"].append({"seq": seq, "hash": "", "body": {"ruled": ruled, "seq": seq}})
    elif pattern == "/fates/*":
        bundle = bundle_of("review", "four members", 5, 0, 0)
        bundle.setdefault("fates", []).append({"id": "F1"})
    elif pattern.endswith("/unfit/*"):
        bundle = bundle_of("review", "four members", 5, 0, 0)
        for told in (bundle["transcript"][0], bundle["entries"][1]["body"]):
            told["unfit"] = [{"at": "items[9]", "became": "refused", "why": "", "said": ""}]
    elif "/measured/" in pattern:
        bundle = bundle_of("review", "four members", 5, 0, 0)
        for told in (bundle["transcript"][0], bundle["entries"][1]["body"]):
            told["measured"] = [deepcopy(MEASURED)]
    else:
        bundle = next(deepcopy(each) for each in bundles if next(objects(each, path), None) is not None)
    next(objects(bundle, path))["official_verdict"] = "APPROVED"
    report = verify(resealed(bundle))
    assert not report.holds
    assert any("/official_verdict is no name that this verifier knows" in each for each in report.unverified)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_setting_that_is_unknown_is_not_verified(protocol: str) -> None:
    bundle = bundle_of(protocol, profiles(protocol)[0], 3, 0, 0)
    bundle["protocol"]["settings"]["lenient"] = opening(bundle)["settings"]["lenient"] = "yes"
    report = verify(resealed(bundle))
    assert report.differences == []
    assert [each.partition(" ")[0] for each in report.unverified] == ["/entries/0/body/opening/settings/lenient"]


def test_true_is_not_one_wherever_a_number_is_meant() -> None:
    bundle = bundle_of("review", "four members", 5, 0, 0)
    paths: tuple[tuple[Any, ...], ...] = (
        ("entries", 1, "seq"),
        ("entries", 1, "body", "seq"),
        ("entries", 1, "body", "attempts"),
    )
    for path in paths:
        changed = deepcopy(bundle)
        inner: Any = changed
        for part in path[:-1]:
            inner = inner[part]
        inner[path[-1]] = True
        if path[-1] == "attempts":
            changed["transcript"][0]["attempts"] = True
            changed = resealed(changed)
        assert not verify(changed).holds, path
    codes = bundle["protocol"]["exit_codes"]
    codes |= {name: bool(code) for name, code in codes.items() if code < 2}
    assert [each.place for each in verify(bundle).differences] == ["/protocol/exit_codes"]


def test_true_is_no_number_of_a_reply_and_one_is_not_true() -> None:
    bundle = bundle_of("review", "four members", 5, 0, 0)
    replies = [(index, each["body"].get("reply", {})) for index, each in enumerate(bundle["entries"])]
    for name, value in (("confidence", True), ("groundless", 1)):
        index = next(index for index, reply in replies if name in reply)
        changed = deepcopy(bundle)
        changed["entries"][index]["body"]["reply"][name] = value
        places = [each.place for each in verify(resealed(changed)).differences]
        assert f"/entries/{index}/body/reply/{name}" in places


def test_an_entry_is_about_one_thing_and_the_seal_is_of_one_kind() -> None:
    bundle = bundle_of("review", "four members", 5, 0, 0)
    changed = deepcopy(bundle)
    changed["entries"][1]["body"]["absent"] = "timeout"
    assert "/entries/1/body" in [each.place for each in verify(resealed(changed)).differences]
    bundle["seal"]["algorithm"] = "md5"
    assert [each.place for each in verify(bundle).differences] == ["/seal/algorithm"]


# The verifier's lists are what the engine writes


def test_the_names_are_those_of_the_schema() -> None:
    told = schema()
    defined = told["$defs"]
    assert NAMES[""] == set(told["properties"])
    for name in ("protocol", "seal", "degradation", "totals"):
        assert NAMES[f"/{name}"] == set(told["properties"][name]["properties"])
    for place, name in {
        **{"/entries/*": "entry", "/entries/*/body": "body", "/entries/*/body/opening": "opening"},
        **{"/entries/*/body/ruled": "ruled", "/decisions/*": "decision", "/decisions/*/because/*": "test"},
        **{"/decisions/*/not_taken/*": "not_taken", "/decisions/*/facts/*": "fact", "/verdict": "verdict"},
        **{"/verdict/derivation/*": "step", "/degradation/applied/*": "step", "/protocol/table/*": "row"},
    }.items():
        assert NAMES[place] == set(defined[name]["properties"]), place


def flags(kind: Any, name: str, seen: set[Any]) -> Iterator[str]:
    """The names under which a form or settings hold true or false."""
    if kind is bool:
        yield name
    elif is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        hints = get_type_hints(kind)
        for each in fields(kind):
            yield from flags(hints[each.name], each.name, seen)
    for inner in get_args(kind):
        yield from flags(inner, name, seen)


def test_settings_and_flags_are_those_of_the_protocols() -> None:
    found: set[str] = set()
    for protocol in PROTOCOLS:
        settings = catalog.definition(protocol).settings
        assert set(SETTINGS[protocol].split()) == {each.name for each in fields(settings)}
        forms = {form for profile in profiles(protocol) for form in built(protocol, profile).domains}
        for each in (settings, *forms):
            found |= set(flags(each, "", set()))
    assert found == FLAGS
