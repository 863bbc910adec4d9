"""The digests of every built-in protocol by profile: the one place here that knows modules."""

from __future__ import annotations

import json

from quorate import catalog
from quorate.codec import protocol_digest
from tests.recorded.holding import PROTOCOLS


def digests() -> str:
    """Return the digests by protocol and profile, as JSON."""
    found = {
        name: {profile: protocol_digest(built) for profile, built in catalog.profiles(name).items()}
        for name in PROTOCOLS
    }
    return json.dumps(found, indent=1) + "\n"
