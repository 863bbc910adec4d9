"""The words of everything that was said or made in a workshop, by the id of its fate (W16, W39)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate_verifier.kinds import made_in
from quorate_verifier.rules import Rules
from quorate_verifier.walk import INTERRUPTED, Move
from quorate_verifier.workshop_fates import beside

Data = Mapping[str, Any]
Fact = tuple[str, Data]


class WorkshopWords(Rules):
    """What was said and made in a workshop, in order of its moves."""

    def words(self, moves: Sequence[Move]) -> dict[str, str]:
        """Return the words of each thing as they stand at the end."""
        made, said = _Made(), dict[str, str]()
        remarks = [text for move in moves for text in _remarks(move) if text.strip()]
        said |= {f"remark-{number}": text for number, text in enumerate(remarks, start=1)}
        for move in moves:
            if move.cause != INTERRUPTED:
                made.take(move)
            if move.phase == "RESPONSES":
                said |= dict(_responses(move))
        titles = made.titles()
        contests = (key for key in said if key.startswith("contest-"))
        about = {key: key.rpartition(".")[2] for key in contests}
        named = titles | made.named
        said |= {key: f"contests {of} {named.get(of, '')}" for key, of in about.items()}
        return said | titles | made.rulings


class _Made:
    """The titles of all artifacts, each with those of before in the order of amendments, and all rulings."""

    def __init__(self) -> None:
        self.all: dict[str, list[str]] = {}
        self.rulings: dict[str, str] = {}
        self.named: dict[str, str] = {}
        """The titles of rulings, which are those of the conflicts that they decide."""
        self.advice = ""

    def titles(self) -> dict[str, str]:
        return {key: titles[-1] for key, titles in self.all.items()}

    def take(self, move: Move) -> None:
        replies = {ask.brief: ask.reply for ask in move.asks if ask.reply is not None}
        earlier = dict(self.rulings)
        for name, values in move.facts:
            if name in ("contested", "blocked") and "conflict" in values:
                self.all[values["conflict"]] = [f"{values['id']} is {name}"]
            elif name == "ruled" and (reply := replies.get("escalate")) is not None:
                title = self.all.get(values["conflict"], ["what was put to a person"])[-1]
                self.named.setdefault(values["id"], f"Ruling: {title}")
                decided = reply["choice"] == "decide"
                words = [earlier.get(values["id"], ""), reply["decision"] if decided else self.advice]
                self.rulings[values["id"]] = "\n\n".join(dict.fromkeys(each for each in words if each.strip()))
        if (reply := replies.get("synthesise")) is not None:
            self._synthesised(reply, [each for each in move.facts if each[0] != "waits anew"])

    def _synthesised(self, reply: Data, facts: list[Fact]) -> None:
        self.advice = reply["recommendation"] if reply["advises"] else self.advice
        for _, item in made_in(reply):
            name, values = facts.pop(0)
            if name == "issued":
                self.all[values["id"]] = [item["title"]]
                while facts and facts[0][1].get("move") == "dispute":
                    facts.pop(0)
                del facts[: len(item["supersedes"])]
        for change in reply["changes"]:
            name, values = facts.pop(0)
            titles = self.all.get(values["id"], [])
            if name == "amended":
                edits = [each["text"] for each in change["edits"] if each["field"] == "title"]
                titles.append(edits[-1] if edits else titles[-1])
            elif name == "reverted":
                titles.pop()


def _remarks(move: Move) -> Iterator[str]:
    replies = {ask.brief: ask.reply for ask in move.asks if ask.reply is not None}
    if (paused := replies.get("pause")) is not None:
        yield paused["remark"]
    if (ruling := replies.get("escalate")) is not None:
        yield beside(ruling, next(values["choice"] for name, values in move.facts if name == "ruling"))


def _responses(move: Move) -> Iterator[tuple[str, str]]:
    for ask in move.asks:
        if ask.reply is None:
            continue
        place = f"{move.round}.{ask.seat}"
        yield f"position-{place}", ask.reply["position"]
        for key in ask.reply.get("contested", ()):
            yield f"contest-{place}.{key}", ""
        for key, vote in ask.reply.get("votes", {}).items():
            yield f"block-{place}.{key}", vote["minimum_change"] or vote["reason"]
