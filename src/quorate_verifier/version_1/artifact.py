"""The artifacts of a workshop: their ids, lives and agreement, and what of a synthesis is refused (W11 to W19)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from quorate_verifier.version_1.agenda import CONSENT, JUDGEMENT, Topic

LISTS = {
    **{"requirements": "REQ", "business_rules": "BR", "qualities": "NFR", "exclusions": "EX", "decisions": "ARCH"},
    **{"components": "COMP", "interfaces": "INT", "ideas": "IDEA", "risks": "RISK", "mitigations": "MIT"},
    **{"questions": "OQ", "conflicts": "CONF"},
}
"""The parts of a synthesis that make artifacts, in the order in which ids are issued (W15)."""
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
MOST_ARTIFACTS = 60
TOO_OFTEN = 2
"""Votes that block a draft, after which it is a person's (W31)."""


class NotAllowed(Exception):
    """A move of the facilitator that the rules refuse; nothing else of the synthesis is (W14)."""


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
    about: str = ""
    """Of a conflict that code has opened: the artifact that it is about."""
    blocks: int = 0
    blocked_in: int = 0

    @property
    def live(self) -> bool:
        return self.status in ("active", "amended")

    @property
    def agreed(self) -> bool:
        return self.live and self.agreement == CONSENSUS


class Ledger:
    """All artifacts of a session by id, in the order of their making."""

    def __init__(self, rule: str, threshold: int) -> None:
        self.rule, self.threshold = rule, threshold
        self.all: dict[str, Artifact] = {}
        self.topics: dict[str, Topic] = {}
        self.round = 0
        self.sure: dict[str, int] = {}
        """By key (P1, P2, ...) the confidence of everybody who answered in this round."""

    # What there is

    def conflicts(self) -> list[Artifact]:
        return [each for each in self.all.values() if each.kind == "CONF" and each.status == "open"]

    def agreed(self, topic: Topic) -> int:
        """How many agreed artifacts of the types that count a topic has (W21)."""
        own = (each for each in self.all.values() if each.topic == topic.key and each.kind in topic.counts)
        return sum(each.agreed for each in own)

    def drafts(self, topic: str) -> list[Artifact]:
        return [each for each in self.all.values() if each.live and each.agreement == DRAFT and each.topic == topic]

    def contestable(self) -> list[str]:
        """What may be contested: what is live and has no open conflict about it (W11)."""
        disputed = {each.about for each in self.conflicts()}
        return [each.key for each in self.all.values() if each.live and each.key not in disputed]

    # Agreement

    def behind(self, said: Mapping[str, Any]) -> list[str]:
        """Who supports something, of those who answered; who opposes it too opposes it (W12, W18)."""
        return [key for key in self.sure if key in said["supported_by"] and key not in said["opposed_by"]]

    def weigh(self, behind: Sequence[str], seen: str) -> str:
        """How far something is agreed upon that these support, and the facilitator sees so (W18)."""
        if self.rule == JUDGEMENT:
            return seen
        if self.rule == CONSENT:
            return DRAFT
        weight, whole = sum(self.sure[key] for key in behind), sum(self.sure.values())
        return CONSENSUS if weight > 0 and 100 * weight >= self.threshold * whole else DRAFT

    def _may_take(self, artifact: Artifact, behind: Sequence[str]) -> None:
        """What is agreed upon is taken away by those who could have agreed to it (W17)."""
        everybody = bool(behind) and len(behind) == len(self.sure)
        able = everybody if self.rule == CONSENT else self.weigh(behind, CONSENSUS) == CONSENSUS
        if artifact.agreed and not able:
            raise NotAllowed

    # What happens

    def _issue(self, kind: str, topic: str, status: str) -> Artifact:
        number = sum(each.kind == kind for each in self.all.values()) + 1
        made = Artifact(f"{kind}-{number:03}", kind, topic, self.round, status)
        self.all[made.key] = made
        return made

    def dispute(self, about: Artifact, since: int) -> str:
        """Open a conflict about an artifact by code, and return its id (W11, W31)."""
        conflict = self._issue("CONF", about.topic, "open")
        conflict.since, conflict.about, about.agreement = since, about.key, DISPUTED
        return conflict.key

    def create(self, kind: str, item: Mapping[str, Any], topic: str) -> Artifact | None:
        """Make an artifact; None where there are too many (W15)."""
        if len(self.all) >= MOST_ARTIFACTS:
            return None
        matter = kind in ("OQ", "CONF")
        made = self._issue(kind, topic, "open" if matter else "active")
        made.agreement = DRAFT if matter else self.weigh(self.behind(item), item["agreement"])
        made.since = self.round if kind == "CONF" else 0
        made.blocking = kind == "OQ" and item["blocking"]
        return made

    def supersede(self, key: str, by: Artifact, item: Mapping[str, Any]) -> bool:
        """Replace an artifact, whose topic, blocks and open conflict its replacement takes (W17); say whether."""
        return self._try(key, lambda: self._supersede(self.all[key], self.all[by.key], item))

    def _supersede(self, old: Artifact, by: Artifact, item: Mapping[str, Any]) -> None:
        if by.status == "open":
            raise NotAllowed
        self._may_take(old, self.behind(item))
        self._live_on(old, "supersede")
        by.topic, by.blocks = old.topic, old.blocks
        for conflict in self.conflicts():
            if conflict.about == old.key:
                conflict.about, by.agreement = by.key, DISPUTED

    def change(self, change: Mapping[str, Any]) -> bool:
        """Do what the facilitator says becomes of an artifact; say whether the rules allow it (W14 to W19)."""
        key = change["artifact"]
        return self._try(key, lambda: self._change(self.all[key], change, self.behind(change)))

    def _change(self, artifact: Artifact, change: Mapping[str, Any], behind: Sequence[str]) -> None:
        becomes = change["becomes"]
        if becomes in ("resolve", "withdraw") and change["unexplained"]:
            raise NotAllowed
        if becomes == "resolve":
            self._check_method(artifact, change["method"], len(behind))
            self.resolve(artifact, self.weigh(behind, CONSENSUS))
            return
        if becomes == "endorse":
            if not artifact.live or self.rule == CONSENT:
                raise NotAllowed
        else:
            if becomes == "withdraw":
                self._may_take(artifact, behind)
            self._live_on(artifact, becomes)
        own = {"title", *FIELDS.get(artifact.kind, "").split()}
        if becomes == "amend" and not any(each["field"] in own for each in change["edits"]):
            raise NotAllowed
        if becomes != "withdraw":
            disputed = any(each.about == artifact.key for each in self.conflicts())
            seen = CONSENSUS if becomes == "endorse" else artifact.agreement
            artifact.agreement = DISPUTED if disputed else self.weigh(behind, seen)

    def _live_on(self, artifact: Artifact, move: str) -> None:
        if (artifact.status, move) not in LIVES:
            raise NotAllowed
        artifact.status = LIVES[artifact.status, move]

    def _check_method(self, matter: Artifact, method: str, support: int) -> None:
        """Hold the facilitator to what a way of resolving a conflict needs (W19)."""
        if matter.kind != "CONF":
            return
        raised, answered = matter.about != "", len(self.sure)
        too_early = raised and matter.made == self.round
        short = {"consensus": support < answered, "majority": 2 * support <= answered, "facilitator_decision": raised}
        if too_early or (raised and self.all[matter.about].blocks >= TOO_OFTEN) or short[method]:
            raise NotAllowed

    def resolve(self, matter: Artifact, settled: str) -> None:
        """Resolve a question or conflict; what a conflict was about is agreed upon as said, if it is live (W19)."""
        self._live_on(matter, "resolve")
        about = self.all.get(matter.about)
        if about is not None and about.live:
            about.agreement = settled

    def _try(self, key: str, do: Any) -> bool:
        """Do something to an artifact, or nothing where it is refused or takes from a closed topic (W17)."""
        if key not in self.all:
            return False
        kept = {each.key: copy(each) for each in self.all.values()}
        topic = self.topics[self.all[key].topic]
        before = self.agreed(topic)
        resolves = self.all[key].status == "open"
        try:
            do()
        except NotAllowed:
            self.all = kept
            return False
        if not resolves and topic.status == "closed" and self.agreed(topic) < topic.minimum <= before:
            self.all = kept
            return False
        return True


def made_in(reply: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """Yield the new artifacts of a synthesis, in the order in which ids are issued (W15)."""
    return ((kind, each) for name, kind in LISTS.items() for each in reply.get(name, ()))
