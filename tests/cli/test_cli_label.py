"""`quorate label` and `quorate calibration` as a person uses them."""

from __future__ import annotations

import json

from tests.cli.shell import Shell, lines, script

PROBLEM = "Where should a shop keep its audit log?"


def debated(shell: Shell) -> str:
    assert shell.call("debate", PROBLEM).code == 0
    found: str = json.loads(shell.call("list", "--json").out)[0]["session"]
    return found


def test_a_session_is_labelled_and_the_last_label_counts(shell: Shell) -> None:
    session = debated(shell)
    ran = shell.call("label", "latest", "--truth", "right", "--note", "It held for a month.")
    assert ran.code == 0
    assert ran.out == f"labelled {session}, SOLUTION: right\n"
    ran = shell.call("label", session, "--truth", "wrong")
    assert "it was labelled right before; that label is kept, but no longer counts" in ran.err
    listed = shell.call("label", "latest").out
    assert lines(listed, ["the session", "right", "It held for a month."])
    assert lines(listed, ["the session", "wrong"])
    found = shell.call("label", "latest", "--json").json()
    assert [each["truth"] for each in found] == ["right", "wrong"]
    assert found[0]["head"] == found[1]["head"]
    assert (shell.folder / ".quorate" / "labels.jsonl").read_text().count("\n") == 2
    found = shell.call("calibration", "--json").json()
    assert [(each["verdict"], each["right"], each["items"]) for each in found["verdicts"]] == [("SOLUTION", 0, 1)]


def test_what_a_label_could_be_is_told(shell: Shell) -> None:
    debated(shell)
    ran = shell.call("label", "latest")
    assert (ran.code, ran.out) == (0, "")
    assert lines(ran.err, ["--truth right: the verdict was right"])
    ran = shell.call("label", "latest", "--truth", "rigth")
    assert ran.code == 64
    assert "did you mean 'right'" in ran.err
    ran = shell.call("label", "latest", "--note", "x")
    assert (ran.code, "--note: has no effect without --truth" in ran.err) == (64, True)
    assert shell.call("label", "latest", "--truth", "right", "--finding", "F1").code == 64


def test_a_damaged_file_of_labels_is_told_with_its_line(shell: Shell) -> None:
    debated(shell)
    shell.call("label", "latest", "--truth", "right")
    with (shell.folder / ".quorate" / "labels.jsonl").open("a") as opened:
        opened.write("{}\n")
    for words in (("calibration",), ("label", "latest", "--truth", "wrong")):
        ran = shell.call(*words)
        assert ran.code == 65
        assert "labels.jsonl:2: has no 'at'" in ran.err


def test_calibration_tells_numbers_and_refuses_advice(shell: Shell) -> None:
    assert "Nothing is labelled here yet" in shell.call("calibration").err
    for truth in ("right", "right", "wrong"):
        debated(shell)
        shell.call("label", "latest", "--truth", truth)
    ran = shell.call("calibration")
    assert ran.code == 0
    assert lines(ran.out, ["3 labelled sessions, 0 labelled findings; bounds hold with 95 % confidence"])
    assert lines(ran.out, ["debate: how often verdicts were right"])
    assert lines(ran.out, ["SOLUTION", "2 of 3", "67 %", "9 % to 99 %"])
    assert lines(ran.out, ["debate: 3 stated confidences, 82 % on average, right in 67 %"])
    assert lines(ran.out, ["Brier score", "(0 is best)", "reliability", "resolution", "uncertainty"])
    assert "0 of 0" not in ran.out, "pairs that never met are left out"
    assert lines(ran.out, ["80 % to 90 %", "82 %", "2 of 3"])
    assert lines(ran.out, ["No advice on seats: it takes 30 labelled sessions"])


def test_labels_of_sessions_that_are_gone_are_told(shell: Shell) -> None:
    debated(shell)
    shell.call("label", "latest", "--truth", "right")
    path = shell.folder / ".quorate" / "labels.jsonl"
    told = json.loads(path.read_text())
    path.write_text(json.dumps({**told, "session": "debate-19990101-000000-abcd"}) + "\n")
    ran = shell.call("calibration")
    assert lines(ran.err, ["left out: the label right of debate-19990101-000000-abcd: "])


def test_one_protocol_and_one_model(shell: Shell) -> None:
    debated(shell)
    shell.call("label", "latest", "--truth", "right")
    assert shell.call("calibration", "--protocol", "debate", "--model", "script", "--json").json()["sessions"] == 1
    ran = shell.call("calibration", "--model", "gpt")
    assert (ran.code, "expected one of script:script.yaml" in ran.err) == (64, True)
    assert shell.call("calibration", "--protocol", "debat").code == 64


def test_the_file_is_for_everybody_like_the_ledger(shell: Shell) -> None:
    """What somebody found out is worth committing; the store is not."""
    shell.write(script())
    debated(shell)
    shell.call("label", "latest", "--truth", "right")
    ignored = (shell.folder / ".quorate" / ".gitignore").read_text().splitlines()
    assert "labels.jsonl" not in ignored
    assert ".labels.jsonl.*" in ignored, "what is left of a write that was cut off"
