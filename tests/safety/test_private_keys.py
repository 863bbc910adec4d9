"""Private keys in JSON and YAML: escaped, folded or wrapped anywhere, no line of one is shown."""

from __future__ import annotations

import json
import time
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
import yaml

from quorate.protocols.council.world.gates.material import material_of
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.read import read_rfc
from quorate.safety.private_keys import is_key_open, keys_in
from quorate.safety.secrets import secrets_in_text, without_secrets
from tests.protocols.council.world.gates.small_rfc import change, write
from tests.support.drawn_secrets import pem

KEY = pem(lines=24, kind="")
BODY = KEY.split("\n")[1:-1]
FLAT = json.dumps({"type": "service_account", "project_id": "shop", "private_key": f"{KEY}\n", "client_id": "1"})
ACCOUNTS = {
    "flat": FLAT,
    "indented": json.dumps(json.loads(FLAT), indent=2),
    "within prose": f"Use this account for the upload of reports: {FLAT} and nothing else.",
    "alone": KEY,
    "with escapes of letters": FLAT.replace("\\n", "\\u000a"),
}


def wrapped(text: str, width: int) -> str:
    """Write a text as YAML in quotes that is cut anywhere, as its escaped line ends allow."""
    rest, parts = json.dumps(text)[1:-1], []
    while rest:
        cut = width
        while rest[:cut].endswith("\\"):
            cut -= 1
        parts.append(rest[:cut])
        rest = rest[cut:]
    return 'notes: "' + "\\\n  ".join(f"\\{part}" if part.startswith(" ") else part for part in parts) + '"\n'


WRITTEN: dict[str, dict[str, Any]] = {
    **{f"as PyYAML writes it, {style}": {"default_style": style, "width": 80} for style in (None, '"', "'", ">", "|")},
    "narrow": {"default_style": '"', "width": 20},
}


def shown(whole: str) -> list[str]:
    """Return the parts of the key that a text shows."""
    parts = [line[at : at + 16] for line in BODY[:-1] for at in range(0, len(line) - 15, 4)]
    return [part for part in (*parts, BODY[-1]) if part in whole]


@pytest.mark.parametrize("account", ACCOUNTS)
@pytest.mark.parametrize("written", [*WRITTEN, "one word a line", "cut after 50", "cut after 33"])
def test_no_line_of_a_key_is_shown_however_yaml_writes_it(account: str, written: str, tmp_path: Path) -> None:
    text = ACCOUNTS[account]
    if written in WRITTEN:
        note = str(yaml.dump({"notes": text}, **WRITTEN[written]))
    elif written == "one word a line":
        note = "notes: >\n" + "".join(f"  {line}\n" for line in text.replace(" ", "\n").split("\n"))
    else:
        note = wrapped(text, int(written[-2:]))
        assert yaml.safe_load(note)["notes"] == text
    assert shown(without_secrets(note)) == []
    folder = write(tmp_path)
    change(folder / "tickets" / "TCK-00001.yaml", "notes: Nothing more.\n", note)
    rfc = read_rfc(folder)
    report = run_gates(rfc)
    assert shown("".join(material_of(rfc, report).values())) == []
    assert {finding.subcategory.value for finding in report.findings} == {"SECRET_EXPOSURE"}


def test_a_key_in_a_value_that_yaml_alone_puts_together_is_masked(tmp_path: Path) -> None:
    """The title that is read is another text than what stands in the file."""
    folder = write(tmp_path)
    title = f"title: {wrapped(FLAT, 41).removeprefix('notes: ')}".replace("\\\n  ", "\\\n      ")
    change(folder / "tickets" / "TCK-00001.yaml", "title: Write the exporter\n", title)
    rfc = read_rfc(folder)
    assert any(BODY[0] in ticket.title for ticket in rfc.tickets)
    assert shown("".join(material_of(rfc, run_gates(rfc)).values())) == []


def test_a_key_that_is_cut_is_masked_as_far_as_it_is_shown() -> None:
    assert shown(without_secrets(FLAT[: FLAT.index("-----END") - 30])) == []
    assert shown(without_secrets(FLAT[FLAT.index("-----BEGIN") + 40 :])) == []
    assert [secret.rule for secret in secrets_in_text(FLAT)] == ["private-key"]


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "])
def test_a_key_that_a_manifest_holds_in_base64_is_masked(kind: str) -> None:
    text = b64encode(pem(kind=kind).encode()).decode()
    assert without_secrets(f"  tls.key: {text}\n") == "  tls.key: [masked secret]\n"
    assert [secret.rule for secret in secrets_in_text(text)] == ["private-key"]
    public = b64encode(pem(kind=kind).replace("PRIVATE KEY", "CERTIFICATE").encode()).decode()
    assert without_secrets(f"  tls.crt: {public}\n") == f"  tls.crt: {public}\n"


def test_a_key_between_marks_of_four_dashes_is_masked() -> None:
    key = "\n".join(("---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", *BODY, "---- END SSH2 ENCRYPTED PRIVATE KEY ----"))
    assert shown(without_secrets(key)) == []
    public = key.replace("ENCRYPTED PRIVATE", "PUBLIC")
    assert without_secrets(public) == public


@pytest.mark.parametrize(
    "text",
    [
        "It begins with -----BEGIN PRIVATE KEY----- and, after the body in base64, -----END PRIVATE KEY----- ends it.",
        "if text.startswith('-----BEGIN PRIVATE KEY-----'): raise Refused('a private key was given to us')",
        '"private_key": "-----BEGIN PRIVATE KEY-----\\nMIIE...\\n-----END PRIVATE KEY-----\\n"',
        "-----BEGIN PUBLIC KEY-----\n" + "\n".join(BODY) + "\n-----END PUBLIC KEY-----",
        "a | b\n------|------\n1 | 2\n" * 20,
    ],
)
def test_what_speaks_of_keys_is_left_alone(text: str) -> None:
    assert without_secrets(text) == text


def test_a_mark_that_is_broken_opens_a_key() -> None:
    assert is_key_open("see -----BEGIN\n  PRIVATE KEY-----\\nMIIE")
    assert not is_key_open("-----BEGIN\n PRIVATE KEY-----\nMIIE\n-----END PRIVATE\nKEY-----")


def test_hostile_texts_take_time_in_their_length() -> None:
    began = time.process_time()
    for text in (
        "-----BEGIN PRIVATE KEY-----" * 20_000,
        "-----END PRIVATE KEY-----\\n" * 20_000,
        "\\" * 400_000 + "---",
    ):
        keys_in(text.split("\n"))
    assert time.process_time() - began < 20
