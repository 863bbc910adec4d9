"""The artifacts of a workshop: their ids, lives and agreement, and what of a synthesis is refused (W11 to W19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from quorate_verifier.agenda import CONSENT, JUDGEMENT, Topic
from quorate_verifier.kinds import CONSENSUS, DISPUTED, DRAFT, FIELDS, LIVES, Artifact

MOST_ARTIFACTS = 60
TOO_OFTEN = 2
"""Votes that block a draft, after which it is a person's (W31)."""


class NotAllowed(Exception):
    """A move of the facilitator that the rules refuse; nothing else of the synthesis is (W14)."""


class Ledger:
    """All artifacts of a session by id, in the order of their making."""

    def __init__(self, rule: str, threshold: int) -> None:
        self.rule, self.threshold = rule, threshold
        self.all: dict[str, Artifact] = {}
        self.topics: dict[str, Topic] = {}
        self.round = 0
        self.seats: dict[str, str] = {}
        """By key (P1, P2, ...) the seat."""
        self.sure: dict[str, int] = {}
        """By key (P1, P2, ...) the confidence of everybody who answered in this round and whose word counts."""
        self.led = True
        """Whether the facilitator's model has passed the exam, or never sat it: then what it reports counts (W41)."""
        self.answered: Sequence[str] = ()
        """Everybody who answered, whether its word counts or not (W40)."""
        self.before: frozenset[str] = frozenset()
        self.ahead: dict[str, str] = {}
        """What there was before the synthesis, and by ids told beforehand what was made of its entries (W15)."""

    # What there is

    def conflicts(self) -> list[Artifact]:
        return [each for each in self.all.values() if each.kind == "CONF" and each.status == "open"]

    def rulings(self) -> list[Artifact]:
        """The rulings that nobody has said to be applied (W24)."""
        return [each for each in self.all.values() if each.kind == "RUL" and each.status == "open"]

    def concerned(self, matter: Artifact) -> set[str]:
        """The topics of a conflict or a ruling, and of what it names (W21)."""
        return {matter.topic, *(self.all[key].topic for key in matter.about if key in self.all)}

    def settle(self) -> None:
        """Say how far everything that is live is agreed upon, with what holds it back (W18)."""
        fought = {key for each in self.conflicts() for key in each.about}
        ruled = {key for each in self.rulings() for key in each.about}
        for each in self.all.values():
            if each.live:
                held = each.key in ruled or each.topic in ruled or each.topic in fought
                each.agreement = DISPUTED if each.key in fought else DRAFT if held else each.backing

    def agreed(self, topic: Topic) -> int:
        """How many agreed artifacts of the types that count a topic has (W21)."""
        own = (each for each in self.all.values() if each.topic == topic.key and each.kind in topic.counts)
        return sum(each.agreed for each in own)

    def drafts(self, topic: str) -> list[Artifact]:
        """The drafts of a topic, held back or not."""
        return [each for each in self.all.values() if each.live and each.agreement == DRAFT and each.topic == topic]

    def votable(self, topic: str) -> list[Artifact]:
        """The drafts of a topic that no conflict and no ruling holds back (W30)."""
        holding = {key for each in (*self.conflicts(), *self.rulings()) for key in each.about}
        return [each for each in self.drafts(topic) if topic not in holding and each.key not in holding]

    def contestable(self) -> list[str]:
        """What may be contested: what is live and has no open conflict about it (W11)."""
        disputed = {key for each in self.conflicts() for key in each.about}
        return [each.key for each in self.all.values() if each.live and each.key not in disputed]

    # Agreement

    def behind(self, said: Mapping[str, Any]) -> list[str]:
        """Who supports something, of those who answered; who opposes it too opposes it (W12, W18, W41)."""
        return [key for key in self.sure if self.led and key in said["supported_by"] and key not in said["opposed_by"]]

    def weigh(self, behind: Sequence[str], seen: str) -> str:
        """How far something is agreed upon that these support, and the facilitator sees so (W18)."""
        if self.rule == JUDGEMENT:
            return seen if behind else DRAFT
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

    def begin(self) -> Counter[str]:
        """Begin a synthesis; return how many of each type there are before it."""
        self.before, self.ahead = frozenset(self.all), {}
        return self._counted()

    def _counted(self) -> Counter[str]:
        return Counter(each.kind for each in self.all.values())

    def told_ahead(self, kinds: Iterable[str], count: int) -> list[str]:
        """The ids that come next, so many of each type (W15)."""
        return [f"{kind}-{self._counted()[kind] + n:03}" for kind in kinds for n in range(1, count + 1)]

    def _issue(self, kind: str, topic: str, status: str) -> Artifact:
        made = Artifact(f"{kind}-{self._counted()[kind] + 1:03}", kind, topic, self.round, status)
        self.all[made.key] = made
        return made

    def dispute(self, about: Artifact, since: int, by: Iterable[str] = ()) -> str:
        """Open a conflict about an artifact by code, and return its id (W11, W31)."""
        conflict = self._issue("CONF", about.topic, "open")
        conflict.since, conflict.about, conflict.raised, conflict.by = since, (about.key,), True, tuple(by)
        self.settle()
        return conflict.key

    def create(self, kind: str, item: Mapping[str, Any], topic: str) -> Artifact | None:
        """Make an artifact; None where there are too many, though never too many for a conflict (W15, W41)."""
        if (len(self.all) >= MOST_ARTIFACTS) if kind != "CONF" else not self.led:
            return None
        matter = kind in ("OQ", "CONF")
        made = self._issue(kind, topic, "open" if matter else "active")
        made.backing = DRAFT if matter else self.weigh(self.behind(item), item["agreement"])
        made.since, made.blocking = self.round if kind == "CONF" else 0, kind == "OQ" and item["blocking"]
        made.about = (self.named(item, topic)[0] or (topic,)) if kind == "CONF" else ()
        made.by = tuple(self.seats[key] for key in item["proposed_by"] if key in self.answered)
        self.settle()
        return made

    def done(self, topic: Topic) -> bool:
        """Whether a topic is closed, has what it needs, and waits for no ruling (W21)."""
        waits = any(topic.key in self.concerned(each) for each in self.rulings())
        return topic.status == "closed" and self.agreed(topic) >= topic.minimum and not waits

    def named(self, item: Mapping[str, Any], topic: str) -> tuple[tuple[str, ...], list[str]]:
        """What a conflict names of what is in force and of the topic in focus, and what it names beside (W19)."""
        means = {topic: topic, **{key: key for key in self.before}, **self.ahead}
        known = {key for key, own in means.items() if own == topic or self.all[own].live}
        return tuple(means[k] for k in item["about"] if k in known), [k for k in item["about"] if k not in known]

    def rule_on(self, topic: str, about: tuple[str, ...]) -> str:
        """Issue a ruling; the same again in one round is one ruling, which waits anew (W24)."""
        same = (each for each in self.all.values() if each.kind == "RUL" and each.made == self.round)
        ruling = next((each for each in same if (each.topic, each.about) == (topic, about)), None)
        ruling = ruling or self._issue("RUL", topic, "open")
        ruling.about, ruling.status, ruling.since, ruling.by = about, "open", self.round + 1, ("person",)
        self.settle()
        return ruling.key

    def apply(self, key: str) -> bool:
        """Let a ruling be applied, and what it names be agreed upon; say whether it waited for that (W24)."""
        ruling = self.all.get(key)
        if ruling is None or ruling not in self.rulings():
            return False
        ruling.status = "resolved"
        for each in self.all.values():
            if each.key in ruling.about and each.live:
                each.backing = CONSENSUS
        self.settle()
        return True

    def supersede(self, key: str, by: Artifact, item: Mapping[str, Any]) -> bool:
        """Replace an artifact, whose topic, blocks and open conflict its replacement takes (W17); say whether."""
        return self._try(key, lambda: self._supersede(self.all[key], self.all[by.key], item))

    def _supersede(self, old: Artifact, by: Artifact, item: Mapping[str, Any]) -> None:
        if by.status == "open":
            raise NotAllowed
        self._may_take(old, self.behind(item))
        self._live_on(old, "supersede")
        old.replaced_by = by.key
        by.topic, by.blocks, by.blocked_in = old.topic, old.blocks, old.blocked_in
        for each in (*self.conflicts(), *(each for each in self.all.values() if each.kind == "RUL")):
            if old.key in each.about:
                each.about = tuple(dict.fromkeys(by.key if key == old.key else key for key in each.about))
        self.reopen(by)

    def reopen(self, changed: Artifact) -> None:
        """Let the applied rulings wait anew that name what has changed or is new, or its topic (W24)."""
        for each in self.all.values() if changed.kind not in ("OQ", "CONF") else ():
            if each.kind == "RUL" and each.status == "resolved" and {changed.key, changed.topic} & {*each.about}:
                each.status, each.since = "open", self.round + 1
        self.settle()

    def change(self, change: Mapping[str, Any]) -> bool:
        """Do what the facilitator says becomes of an artifact; say whether the rules allow it (W14 to W19)."""
        key = change["artifact"]
        return self._try(key, lambda: self._change(self.all[key], change, self.behind(change)))

    def _change(self, artifact: Artifact, change: Mapping[str, Any], behind: Sequence[str]) -> None:
        becomes = change["becomes"]
        reports = becomes in ("resolve", "endorse") or artifact.agreed
        if artifact.kind == "RUL" or (reports and not self.led):
            raise NotAllowed
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
        if becomes in ("amend", "revert"):
            artifact.amendments += 1 if becomes == "amend" else -1
            artifact.status, artifact.voted = "amended" if artifact.amendments else "active", False
        own = {"title", *FIELDS.get(artifact.kind, "").split()}
        if becomes == "amend" and not any(each["field"] in own for each in change["edits"]):
            raise NotAllowed
        if becomes != "withdraw" and (becomes == "endorse" or self.rule != JUDGEMENT):
            artifact.backing = self.weigh(behind, CONSENSUS)
        if becomes != "endorse":
            self.reopen(artifact)

    def _live_on(self, artifact: Artifact, move: str) -> None:
        if (artifact.status, move) not in LIVES:
            raise NotAllowed
        artifact.status = LIVES[artifact.status, move]

    def _check_method(self, matter: Artifact, method: str, support: int) -> None:
        """Hold the facilitator to what a way of resolving a conflict needs (W19)."""
        if matter.kind != "CONF":
            return
        raised, answered = matter.raised, len(self.sure)
        blocks = [self.all[key].blocks for key in matter.about if key in self.all]
        too_early = raised and matter.made == self.round
        short = {
            "consensus": support < max(answered, 1),
            "majority": 2 * support <= answered,
            "facilitator_decision": raised,
        }
        if too_early or (raised and max(blocks) >= TOO_OFTEN) or short[method]:
            raise NotAllowed

    def resolve(self, matter: Artifact, settled: str = "") -> None:
        """Resolve a question or conflict; what a conflict names is agreed upon as said, if it is live (W19)."""
        self._live_on(matter, "resolve")
        for about in (self.all[key] for key in matter.about if key in self.all):
            about.backing = settled if settled and about.live else about.backing

    def _try(self, key: str, do: Any) -> bool:
        """Do something to an artifact, or nothing where it is refused or takes from a closed topic (W17)."""
        if key not in self.before:  # what a synthesis makes it neither moves nor supersedes (W15)
            return False
        kept = {each.key: copy(each) for each in self.all.values()}
        topic = self.topics[self.all[key].topic]
        before = self.agreed(topic)
        resolves = self.all[key].status == "open"
        try:
            do()
            self.settle()
        except NotAllowed:
            self.all = kept
            return False
        if not resolves and topic.status == "closed" and self.agreed(topic) < topic.minimum <= before:
            self.all = kept
            return False
        return True
