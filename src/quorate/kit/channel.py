"""The channel between seats: full replies, or claims with the evidence that code has found in the material.

Most of a deliberation's cost is seats reading each other, and words persuade where evidence should. A protocol
that has the setting says in its rules which views keep to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

SETTING = "channel"


class Channel(Enum):
    """What seats are shown of each other's replies."""

    PROSE = "prose"
    EVIDENCE = "evidence"


def declared(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as a protocol declares them: the default (full replies) is left out, as in older sessions."""
    return {name: each for name, each in settings.items() if (name, each) != (SETTING, Channel.PROSE.value)}
