"""A workshop's artifacts: where a synthesis lists them, what an amendment may change, their moves, and one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LISTS = {
    **{"requirements": "REQ", "business_rules": "BR", "qualities": "NFR", "exclusions": "EX", "decisions": "ARCH"},
    **{"components": "COMP", "interfaces": "INT", "ideas": "IDEA", "risks": "RISK", "mitigations": "MIT"},
    **{"questions": "OQ", "conflicts": "CONF"},
}
"""The parts of a synthesis that make artifacts, in the order in which ids are issued (W15)."""
OWN = {
    "specs": ("REQ", "BR", "NFR", "EX"),
    "design": ("ARCH", "COMP", "INT"),
    "brainstorm": ("IDEA", "RISK", "MIT"),
    "open": ("REQ", "BR", "NFR", "EX", "ARCH", "COMP", "INT", "IDEA", "RISK", "MIT"),
}
"""By workflow the types of artifacts whose next ids a conflict of the same synthesis may name (W15)."""
NAMED_AHEAD = 4
FIELDS = {
    "REQ": "description acceptance priority",
    "BR": "description conditions actions",
    "NFR": "description target minimum measurement category",
    "EX": "description rationale",
    "ARCH": "context decision rationale consequences",
    "COMP": "responsibility provides requires dependencies technology",
    "INT": "description endpoints kind",
    "IDEA": "description implementation_notes potential_value feasibility",
    "RISK": "description severity likelihood",
    "MIT": "description effort effectiveness",
}
"""What an amendment may change beside the title, by type (W16)."""
LIVES = {
    **{(now, "amend"): "amended" for now in ("active", "amended")},
    **{(now, "supersede"): "superseded" for now in ("active", "amended")},
    **{(now, "withdraw"): "withdrawn" for now in ("active", "amended")},
    ("amended", "revert"): "active",
    ("open", "resolve"): "resolved",
}
"""The moves that there are (W14)."""
DONE = {"amend": "amended", "revert": "reverted", "withdraw": "withdrawn", "resolve": "resolved", "endorse": "endorsed"}
CONSENSUS, DRAFT, DISPUTED = "consensus", "draft", "conflict"


def made_in(reply: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the new artifacts of a synthesis, in the order in which ids are issued (W15)."""
    return ((kind, each) for name, kind in LISTS.items() for each in reply.get(name, ()))


@dataclass(slots=True)
class Artifact:
    """One artifact, question or conflict."""

    key: str
    kind: str
    topic: str
    made: int
    """The round that made it."""
    status: str
    agreement: str = DRAFT
    since: int = 0
    """Of a conflict: the round that counts as its first."""
    blocking: bool = False
    about: tuple[str, ...] = ()
    """Of a conflict or a ruling: what it names, artifacts or a topic."""
    raised: bool = False
    """Of a conflict: a participant has raised it."""
    backing: str = DRAFT
    """The agreement that it has but for what holds it back."""
    amendments: int = 0
    """Those in force."""
    voted: bool = False
    """It was voted upon as it stands."""
    blocks: int = 0
    blocked_in: int = 0
    by: tuple[str, ...] = ()
    """Who said it: the seat of its proposer, of those who raised it, or of the person."""
    replaced_by: str = ""
    by_person: bool = False
    """Of a conflict: a person has decided it."""

    @property
    def live(self) -> bool:
        return self.status in ("active", "amended")

    @property
    def agreed(self) -> bool:
        return self.live and self.agreement == CONSENSUS
