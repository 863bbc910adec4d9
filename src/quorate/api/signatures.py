"""Sign bundles with Ed25519: generates keys and writes signatures; the independent verifier checks them."""

from __future__ import annotations

import os
import stat
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from quorate.api.results import check
from quorate.core.errors import InputError, SettingError
from quorate.evidence.text import MOST_CHARACTERS, from_text, to_json
from quorate.files.named_file import text_of
from quorate_verifier.reading import canonical, digest
from quorate_verifier.signature import FORMAT, check_signatures, fingerprint, message, signature_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

KEY_VARIABLE = "QUORATE_SIGNING_KEY"
"""The environment variable with the key's file, or with the key itself, as pipelines keep it."""
EXTRA = "pip install 'quorate[sign]'"
MOST_KEY_BYTES = 20_000
_KINDS = "a private key of the kind Ed25519, as `quorate keygen` or `ssh-keygen -t ed25519` makes it"


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature added to a bundle's signature file."""

    bundle: Path
    file: Path
    fingerprint: str
    head: str
    signatures: int
    """How many the file has now."""


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A new key pair: the private key, readable by its owner only, and the public key."""

    private: Path
    public: Path
    fingerprint: str


def make_key(path: Path) -> MadeKey:
    """Generate an OpenSSH key pair at `path` and `path.pub`; SettingError if a file exists."""
    serialization, keys = _cryptography()
    public = path.with_name(path.name + ".pub")
    made = keys.Ed25519PrivateKey.generate()
    secret = made.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption()
    )
    line = made.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    _write_new(path, secret, 0o600)
    try:
        _write_new(public, line + b" quorate\n", 0o644)
    except SettingError:
        path.unlink()  # A half of a pair is of no use.
        raise
    return MadeKey(path, public, fingerprint(made.public_key().public_bytes_raw()))


def _write_new(path: Path, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        with os.fdopen(os.open(path, flags, mode), "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except FileExistsError as error:
        raise SettingError("exists already; a key is never replaced", file=str(path), expected="a new name") from error
    except OSError as error:
        raise SettingError(f"cannot be written: {error.strerror or error}", file=str(path)) from error


def sign(bundle: Path, key: Path | None = None, environment: Mapping[str, str] = os.environ) -> Signed:
    """Sign a valid bundle; the signature is added to the file beside it.

    The key is the file given, else what QUORATE_SIGNING_KEY names or holds. An invalid bundle is not signed.
    """
    secret = _key(key, environment)
    if problems := check(bundle):
        first = f"{problems[0]}" + (f", and {len(problems) - 1} more" if len(problems) > 1 else "")
        raise InputError(f"is not valid, so it was not signed: {first}", file=str(bundle))
    data = from_text(text_of(bundle, MOST_CHARACTERS, "a bundle in JSON or YAML"), str(bundle))
    public = secret.public_key().public_bytes_raw()
    made = {
        "key": b64encode(public).decode(),
        "fingerprint": fingerprint(public),
        "session": data["session"],
        "head": data["seal"]["head"],
        "document": digest(canonical(data)),
        "signature": b64encode(secret.sign(message(data))).decode(),
    }
    file = signature_file(bundle)
    kept = [each for each in _signatures(file, data) if each["key"] != made["key"]]
    _replace(file, to_json({"format": FORMAT, "signatures": [*kept, made]}))
    return Signed(bundle, file, made["fingerprint"], made["head"], len(kept) + 1)


def _signatures(file: Path, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the existing signatures; raise, and write nothing, if they are invalid."""
    if not file.exists():
        return []
    told = read_signatures(file)
    found, _ = check_signatures(data, told, ())
    if found:
        expected = "signatures of this bundle as it is; move the file away to begin anew"
        raise InputError(f"{found[0].place}: {found[0].what}", file=str(file), expected=expected)
    return list(told["signatures"])


def read_signatures(file: Path) -> Any:
    """Return the content of a signature file; InputError if it is not JSON."""
    return from_text(text_of(file, 1_000_000, "the signatures of a bundle, in JSON"), str(file))


def _replace(file: Path, text: str) -> None:
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise SettingError(f"cannot be written: {error.strerror or error}", file=str(file)) from error


def _key(path: Path | None, environment: Mapping[str, str]) -> Ed25519PrivateKey:
    told = environment.get(KEY_VARIABLE, "")
    if path is None and told.lstrip().startswith("-----BEGIN"):
        return _private(told.strip().encode() + b"\n", KEY_VARIABLE)
    if path is None and not told:
        raise SettingError("there is no key to sign with", key=KEY_VARIABLE, expected="--key FILE, or this variable")
    path = path or Path(told)
    try:
        with path.open("rb") as stream:
            mode, content = os.fstat(stream.fileno()).st_mode, stream.read(MOST_KEY_BYTES)
    except OSError as error:
        raise SettingError(f"cannot be read: {error.strerror or error}", file=str(path), expected=_KINDS) from error
    if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise SettingError("can be read by others", file=str(path), expected=f"chmod 600 {path}")
    return _private(content, str(path))


def _private(content: bytes, place: str) -> Ed25519PrivateKey:
    """Read a private key; error messages never quote it."""
    serialization, keys = _cryptography()
    load = serialization.load_ssh_private_key if b"OPENSSH" in content[:60] else serialization.load_pem_private_key
    try:
        found = load(content, password=None)
    except TypeError as error:
        raise SettingError("is protected by a passphrase", file=place, expected="a key without one") from error
    except Exception:
        raise SettingError("is not a private key in a known format", file=place, expected=_KINDS) from None
    if not isinstance(found, keys.Ed25519PrivateKey):
        raise SettingError("is not an Ed25519 key", file=place, expected=_KINDS)
    return cast("Ed25519PrivateKey", found)


def _cryptography() -> tuple[Any, Any]:
    try:
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise SettingError("cryptography is not installed, and signing needs it", expected=EXTRA) from error
    return serialization, ed25519
