"""Signatures of a bundle: a file beside it, each signature by one Ed25519 key over the seal and the whole document."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from quorate_verifier.ed25519 import signed, sound
from quorate_verifier.reading import Unreadable, canonical, digest
from quorate_verifier.report import Difference, shown

FORMAT = "quorate-signature/1"
MOST_SIGNATURES = 100
MOST_KEY_BYTES = 10_000
_DER = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an Ed25519 key in a PEM file."""
_SSH = b"\0\0\0\x0bssh-ed25519\0\0\0\x20"


def signature_file(bundle: Path) -> Path:
    """Return where the signatures of a bundle stand: its name with .sig after it."""
    return bundle.with_name(bundle.name + ".sig")


def message(data: dict[str, Any]) -> bytes:
    """Return what is signed: four lines with the format, the session, the seal's head, and the document's digest.

    The digest is the SHA-256 of the whole bundle as canonical JSON, so it is the same for JSON and for YAML.
    """
    return "\n".join((FORMAT, data["session"], data["seal"]["head"], digest(canonical(data)))).encode() + b"\n"


def fingerprint(key: bytes) -> str:
    """Return the short name of a public key, as `ssh-keygen -l` writes it."""
    return "SHA256:" + b64encode(sha256(_SSH + key).digest()).decode().rstrip("=")


def read_key(path: Path) -> bytes:
    """Return the 32 bytes of a public key file, in OpenSSH's format or PEM; Unreadable where it is none."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_KEY_BYTES)
        lines = content.decode("ascii").split()
        if lines[:1] == ["ssh-ed25519"]:
            made, start = b64decode(lines[1], validate=True), _SSH
        else:
            inner = content.decode("ascii").partition("-----BEGIN PUBLIC KEY-----")[2]
            made, start = b64decode("".join(inner.partition("-----END")[0].split()), validate=True), _DER
    except OSError as error:
        raise Unreadable(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, IndexError, binascii.Error) as error:
        raise Unreadable(f"{path}: is no public key of the kind Ed25519") from error
    if not made.startswith(start) or len(made) != len(start) + 32:
        raise Unreadable(f"{path}: is no public key of the kind Ed25519, in OpenSSH's format or PEM")
    if not sound(made[-32:]):
        raise Unreadable(
            f"{path}: is no key that one person holds: it is no point of the curve, or anybody can sign for it"
        )
    return made[-32:]


def check_signatures(data: dict[str, Any], told: Any, keys: Sequence[bytes]) -> tuple[list[Difference], list[str]]:
    """Return what is wrong with the signatures, and the fingerprints of the keys whose signatures are right.

    Every signature that is there has to be right, and every one of `keys` has to have signed.
    """
    found: list[Difference] = []
    right: list[bytes] = []
    if told is not None:
        listed = told.get("signatures") if isinstance(told, dict) and told.get("format") == FORMAT else None
        if not isinstance(listed, list) or len(listed) > MOST_SIGNATURES:
            found.append(Difference("(signature)", f"it is {shown(told)}", f"a file of the format {FORMAT}"))
            listed = []
        text = message(data)
        for index, each in enumerate(listed):
            key, made = _bytes(each, "key"), _bytes(each, "signature")
            if signed(key, text, made):
                right.append(key)
            else:
                found.append(_wrong(data, each, f"(signature)/signatures/{index}"))
    for key in keys:
        if key not in right:
            others = ", ".join(map(fingerprint, right)) or "nobody"
            found.append(Difference("(signature)", f"signed by {others}", f"a signature by {fingerprint(key)}"))
    return found, [fingerprint(key) for key in right]


def _bytes(told: Any, name: str) -> bytes:
    try:
        return b64decode(told[name], validate=True)
    except (KeyError, TypeError, ValueError):
        return b""


def _wrong(data: dict[str, Any], told: Any, place: str) -> Difference:
    """Say what the signature was made over, where it says so itself, to tell a changed bundle from another one."""
    said = told if isinstance(told, dict) else {}
    if said.get("session") != data["session"]:
        return Difference(place, f"it is of the session {shown(said.get('session'))}", data["session"])
    if said.get("head") != data["seal"]["head"]:
        return Difference(place, "it was made over another journal", "one that was signed as it is")
    if said.get("document") != digest(canonical(data)):
        return Difference(place, "the bundle was changed after it was signed, beside its entries", "as it was signed")
    if not sound(_bytes(told, "key")):
        return Difference(place, "it names no key that one person holds", "a key for which not anybody can sign")
    return Difference(place, "it was not made by the key that it names", "a signature by that key")
