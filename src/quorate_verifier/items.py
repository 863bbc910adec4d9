"""The fix items of a review: how each is raised, carried, ended, and what became of it (R8, R22, R38 to R41)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quorate_verifier.fate_words import NOTED

SEVERITIES = ("low", "medium", "high", "critical")
WHOLE = "F0"
RULE_OF_VETO = {
    **{"none": "correctness", "rule violation": "house-rule", "hard-coded secret": "secret"},
    **{"security hole": "security", "circular dependency": "structure"},
    "undocumented public contract": "public-contract",
}
"""What the item is about that a veto becomes which does not count as one (R8)."""
SURE = ("synthesis", "oppose", "veto")
Values = Mapping[str, Any]


@dataclass(slots=True)
class Item:
    """One fix item, from the ballot that raised it to its end."""

    key: str
    seat: str
    path: str
    rule: str
    severity: str
    grounded: bool
    withheld: bool
    veto: str
    """The class of the veto that it was; empty of a fix item."""
    own: bool
    """Nobody else's ground carries it: a check has examined this class of veto and passed it (R40)."""
    became: str
    words: str = ""
    """What it says will go wrong; of a veto its evidence."""
    past: bool = False
    """The change was amended since it was raised as a note."""

    @property
    def carries(self) -> bool:
        """Whether its ground is one for others, while it is open or a note (R40)."""
        return self.grounded and not self.past

    def told(self) -> dict[str, Any]:
        """Return the values of the fact that it was raised."""
        names = ("key", "seat", "path", "rule", "severity", "veto", "grounded", "withheld", "became")
        return {name: getattr(self, name) for name in names}


class Items:
    """All items of a session, by id, in the order in which they were raised."""

    def __init__(self, settings: Values) -> None:
        self.all: dict[str, Item] = {}
        self.notes = frozenset(settings.get("unqualified_seats", ()))
        """The seats of which everything is a note that carries nothing (R48)."""
        literal = settings.get("reading", "rules") == "seed"
        self.least = 0 if literal else SEVERITIES.index(settings["blocking_severity"])
        self.proved: set[tuple[str, str]] = set()
        """File and rule of what the checks found in the change as it stands."""
        self.passed: set[str] = set()
        """The classes of veto that they examined there without a finding."""

    def examined(self, report: Values) -> None:
        """Take from a report of the checks what may carry an item, and what must carry itself (R4, R40)."""
        self.proved = {(f"F{each['file']}", each["subject"]) for each in report["findings"]}
        self.passed = set(report["passed"])

    @property
    def open(self) -> list[Item]:
        return [each for each in self.all.values() if each.became == "open"]

    def keys_of(self, seat: str) -> list[str]:
        """Return what a member may take back."""
        return [each.key for each in self.open if each.seat == seat]

    # Raising

    def raised(self, ballots: Mapping[str, Values], counted: Mapping[str, str]) -> Iterator[Item]:
        """Yield what the ballots of a round raise, numbered on; nothing is merged (R22)."""
        number = len(self.all)
        for seat, ballot in ballots.items():
            for each in (*ballot["items"], *self._lost_veto(ballot, counted[seat])):
                number += 1
                yield self._item(f"I{number}", seat, each)

    def read(self, seat: str, items: Sequence[Values]) -> Iterator[Item]:
        """Yield what the reader of a part of the change raises, numbered on (R46)."""
        for number, each in enumerate(items, start=len(self.all) + 1):
            yield self._item(f"I{number}", seat, each)

    def _item(self, key: str, seat: str, each: Values) -> Item:
        opens = not each["unfounded"] and SEVERITIES.index(each["severity"]) >= self.least
        return Item(
            key,
            seat,
            each["path"] if each["path"].startswith("F") else WHOLE,
            each["rule"],
            each["severity"],
            each["quoted"],
            each.get("withheld", False) and seat not in self.notes,
            each.get("veto", ""),
            each.get("veto", "") in self.passed,
            NOTED if seat in self.notes else "open" if opens else "note",
            each["consequence"],
        )

    def _lost_veto(self, ballot: Values, counts: str) -> list[Values]:
        """Return what a veto becomes that does not count as one: a CRITICAL item about the whole (R8, R38)."""
        if ballot["stance"] != "veto" or counts == "veto":
            return []
        kind = ballot["veto_class"]
        made = {"path": WHOLE, "rule": RULE_OF_VETO[kind], "severity": "critical", "unfounded": False}
        made["consequence"] = ballot["veto_evidence"]
        return [made | {"quoted": not ballot["groundless"], "withheld": counts == "abstain", "veto": kind}]

    # Carrying and ending

    def carried(self, item: Item) -> bool:
        """Whether an item has ground: its own, or another's on the same file and rule (R40)."""
        if item.grounded or item.own:
            return item.grounded
        others = {
            (each.path, each.rule)
            for each in self.all.values()
            if each.became in ("open", "note") and each.carries and each.seat != item.seat
        }
        return (item.path, item.rule) in others | self.proved

    def blocking(self) -> list[Item]:
        return [each for each in self.open if not each.withheld and self.carried(each)]

    def withheld(self) -> list[Item]:
        return [each for each in self.open if each.withheld and self.carried(each)]

    def doubtful(self) -> list[Item]:
        """Return what the skeptic is asked about (R23)."""
        return [each for each in self.open if self.carried(each)]

    def balloted(self, ballots: Mapping[str, Values], counted: Mapping[str, str]) -> list[Item]:
        """End what members take back, and vetoes withheld whose member votes with confidence (R38, R39)."""
        over = []
        for item in self.open:
            ballot, counts = ballots.get(item.seat), counted.get(item.seat)
            if ballot is not None and item.key in ballot["taken_back"]:
                item.became = "taken back"
            elif item.withheld and counts == "veto" and ballot is not None:
                item.became = "cast again" if ballot["veto_class"] == item.veto else item.became
            elif item.withheld and counts == "synthesis":
                item.became = "lifted"
            if item.became != "open":
                over.append(item)
        return over

    def amended(self, kept: Sequence[Values]) -> list[Item]:
        """End what an amendment takes the ground from, and what had none; the others have its files' keys (R39)."""
        places = {each["item"]: f"F{each['file']}" for each in kept}
        over = [each for each in self.open if not each.grounded or each.key not in places]
        for item in self.all.values():
            item.past = item.became == "note"
        for item in self.open:
            if item in over:
                item.became = "gone with an amendment" if item.grounded else "ungrounded"
            else:
                item.path = places[item.key]
        return over

    def fates(self) -> Iterator[dict[str, Any]]:
        """Yield what became of every item, as things stand (R41)."""
        for item in self.all.values():
            became = item.became
            if became == "open":
                became = ("withheld" if item.withheld else "blocks") if self.carried(item) else "ungrounded"
            yield fate(item.key, "veto" if item.veto else "fix item", [item.seat], became, item.words)


def fate(key: str, what: str, by: list[str], became: str, words: str | None = None) -> dict[str, Any]:
    """Return what became of one thing; without `words` those that the bundle states are looked for."""
    return {"id": key, "what": what, "by": by, "became": became, "words": words}
