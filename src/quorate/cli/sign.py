"""`sign` and `keygen`: sign bundles with Ed25519 keys."""

from __future__ import annotations

from pathlib import Path

import click

from quorate.cli.desk import json_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

DEFAULT_KEY = "quorate-signing.key"


@click.command(
    cls=Command,
    examples=(
        "quorate sign result/bundle.json --key ~/quorate-signing.key",
        "QUORATE_SIGNING_KEY=~/quorate-signing.key quorate sign result/bundle.json",
    ),
)
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option("--key", type=click.Path(path_type=Path), metavar="FILE", help="The secret key. Default: the variable.")
@json_option
def sign(bundle: Path, key: Path | None, as_json: bool) -> None:
    """Sign an evidence bundle with an Ed25519 key.

    The signature is written to BUNDLE.sig, beside those that are there; it covers the seal and the whole document. Only
    a bundle that holds is signed. QUORATE_SIGNING_KEY names the key's file, or holds the key itself, where --key does
    not.
    """
    from quorate.api import signatures

    made = signatures.sign(bundle, key.expanduser() if key is not None else None)
    if as_json:
        told = {"bundle": str(made.bundle), "signature": str(made.file), "fingerprint": made.fingerprint}
        out_json({**told, "head": made.head, "signatures": made.signatures})
    else:
        out(f"{made.file}: signed by {made.fingerprint}")


@click.command(cls=Command, examples=("quorate keygen", "quorate keygen ~/keys/reviews.key"))
@click.argument("file", type=click.Path(path_type=Path), default=Path(DEFAULT_KEY))
@json_option
def keygen(file: Path, as_json: bool) -> None:
    """Make a pair of Ed25519 keys to sign bundles with.

    FILE gets the secret key, which only you can read; keep it out of the repository. FILE.pub gets the public key, in
    OpenSSH's format, for everybody who is to check your signatures. No file is ever replaced.
    """
    from quorate.api.signatures import make_key

    made = make_key(file.expanduser())
    if as_json:
        out_json({"private": str(made.private), "public": str(made.public), "fingerprint": made.fingerprint})
    else:
        err(f"wrote {made.private} (keep it secret) and {made.public}")
        out(made.fingerprint)
