"""The digests of every built-in protocol by profile: the one place here that knows modules."""

from __future__ import annotations

import json

from quorate import catalog
from quorate.codec import protocol_digest
from tests.recorded.holding import PROTOCOLS


def digests(version: str | None = None) -> str:
    """Return the digests by protocol and profile, as JSON: of an earlier version, or of the current one."""
    definitions = {name: catalog.definition_in(name, version) for name in PROTOCOLS}
    found = {
        name: {profile: protocol_digest(built) for profile, built in catalog.profiles(definition).items()}
        for name, definition in definitions.items()
    }
    return json.dumps(found, indent=1) + "\n"
