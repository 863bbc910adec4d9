"""Importer of MALLM's output: a list of records, each a discussion with its memory of messages and its references.

What is relied upon, in the ways in which its versions (2024 to 1.0.5) write it:

- `exampleId`, and `references`, a list of texts; an answer that is one of them is right, and an empty list is no truth.
- `globalMemory`, a list of messages in no certain order: `message_id` (`messageId`), `turn`, `agent_id` (`agentId`),
  `persona`, `contribution`, `agreement`, and `solution` (`extractedDraft`, where "None" is none).
- `finalAnswer` (`extracted_answer`, `answer`) and `decisionSuccess` (`decision_success`).
- `votesEachTurn`: by turn `type`, `answers` (`final_answers`) and `alterations`, each with `votes`.

Ids of agents differ from discussion to discussion, so a voter is known by its turn to speak. Its last solution of a
turn is its ballot. Feedback names no solution: who agrees votes for the draft that it was shown, and who does not gives
no usable answer. A simple vote is one more round. A baseline has no memory and is one voter with one answer; an
ablation has messages of nobody, and is one voter with many.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from quorate.codec.canonical import clean
from quorate.files.named_file import text_of
from quorate.lab.bench.ballots import (
    MOST_BALLOTS,
    MOST_BYTES,
    MOST_ITEMS,
    MOST_ROUNDS,
    At,
    Ballot,
    Recorded,
    RecordedItem,
    checked,
    parsed,
)
from quorate.lab.bench.comparable import comparable, marked, options

MOST_TEXT = 1_000_000
ONE_EACH = ("simple_voting", "consensus_voting", "voting")
"""The kinds of votes in which every panelist names one answer by its number; others name several."""
DECIDING = ("anonymous", "public")
"""Of votes that were taken in several ways, the one that decided."""
_MODERATOR = re.compile(r"Moderator(?: \d+)?")
SOLE = "the model"
NO_TRUTH = "{n} records have no reference: nothing can be right or wrong there"
TOO_LONG = "{n} solutions are too long to be compared, and count as no usable answer"
NO_AGREEMENT = "{n} discussions ended without agreement: what stood at their end counts as recorded"
NO_DECISION = "{n} records say nothing of what was decided"
OTHER_VOTES = "{n} votes name no single answer for each voter (approved, ranked, cumulated or summed up): left out"
WHOSE_VOTES = "{n} votes have not one ballot of each voter, so nobody knows whose they are: left out"


def read_mallm(path: Path) -> Recorded:
    """Read the file that a run of MALLM leaves; what is not of its format raises InputError with the place."""
    at, missing = At(str(path)), Counter[str]()
    data = parsed(path, text_of(path, MOST_BYTES, "the JSON output of MALLM"))
    items = [_item(at / number, each, number, missing) for number, each in enumerate(at.entries(data, MOST_ITEMS))]
    return Recorded.of(checked(path, items), missing)


@dataclass(slots=True)
class _Discussion:
    """One record while it is read."""

    at: At
    given: Mapping[str, Any]
    right: tuple[str, ...]
    missing: Counter[str]
    cast: dict[tuple[str, int], str | None] = field(default_factory=dict)
    voters: dict[str, str] = field(default_factory=dict)
    """By the id of the agent, in the order in which they first spoke."""
    panelists: list[str] = field(default_factory=list)
    """Voters that may vote on final answers: neither moderators nor the judge."""

    def answer(self, at: At, said: Any) -> str | None:
        """An answer that can be compared; any of several right ones is the first of them."""
        text = at.prose(said, MOST_TEXT)
        held = comparable(marked(text))
        if self.right and all(len(each) == 1 and each.isalpha() for each in self.right):
            named = options(text, ascii_uppercase)
            held = held if held and len(held) == 1 else named[0] if named else held
        self.missing[TOO_LONG] += held is None and bool(text.strip())
        return self.right[0] if held in self.right else held


def _item(at: At, data: Any, number: int, missing: Counter[str]) -> RecordedItem:
    given = at.mapping(data)
    name = clean(str(given.get("exampleId") or number))[:150]
    references = (at / "references").entries(given.get("references"), 1_000)
    known = [comparable((at / "references" / n).prose(each, MOST_TEXT)) for n, each in enumerate(references)]
    heard = _Discussion(at, given, tuple(each for each in known if each is not None), missing)
    missing[NO_TRUTH] += not heard.right
    recorded = _recorded(heard)
    if given.get("globalMemory", ...) is None:
        heard.cast[SOLE, 1] = recorded  # a baseline
    else:
        _listen(heard, given.get("globalMemory"))
        _vote(heard)
    if not heard.cast:
        at.wrong("has no solution of anybody", "messages with `solution` in its memory, or a final answer")
    first = min(turn for _, turn in heard.cast)
    ballots = tuple(Ballot(voter, turn - first + 1, answer) for (voter, turn), answer in heard.cast.items())
    return RecordedItem(f"{name} #{number}", heard.right[0] if heard.right else None, ballots, recorded)


def _recorded(heard: _Discussion) -> str | None:
    """What the record says was decided."""
    key = next((key for key in ("finalAnswer", "extracted_answer", "answer") if heard.given.get(key) is not None), None)
    if key is None or heard.given[key] == "None":
        heard.missing[NO_DECISION] += 1
        return None
    heard.missing[NO_AGREEMENT] += _either(heard.given, "decisionSuccess", "decision_success") is False
    return heard.answer(heard.at / key, heard.given[key])


def _listen(heard: _Discussion, memory: Any) -> None:
    """Take the solutions of all messages, in the order in which they were written."""
    at, draft = heard.at / "globalMemory", None
    messages = [(at / n, (at / n).mapping(each)) for n, each in enumerate(at.entries(memory, MOST_BALLOTS))]
    numbers = [_either(message, "message_id", "messageId") for _, message in messages]
    if all(type(each) is int for each in numbers):  # memories once came out of a database by key, not by time
        messages = [messages[n] for n in sorted(range(len(messages)), key=lambda n: numbers[n])]
    for spot, message in messages:
        turn = (spot / "turn").whole(message.get("turn"), MOST_ROUNDS, least=0)
        if message.get("contribution") == "judge":
            continue
        voter = _voter(heard, message)
        solution = message.get("solution", message.get("extractedDraft"))
        if solution is None or (solution == "None" and "extractedDraft" in message):
            if (answer := _endorsed(message, draft, spot, heard)) is not None or message.get("agreement") is False:
                heard.cast[voter, turn] = answer
            continue
        heard.cast[voter, turn] = draft = heard.answer(spot / "solution", solution)


def _voter(heard: _Discussion, message: Mapping[str, Any]) -> str:
    agent = _either(message, "agent_id", "agentId")
    if agent is None:
        return SOLE  # an ablation: one model that goes over its own answer
    voter = heard.voters.setdefault(str(agent)[:200], f"agent {len(heard.voters) + 1}")
    if voter not in heard.panelists and not _MODERATOR.fullmatch(str(message.get("persona"))[:200]):
        heard.panelists.append(voter)
    return voter


def _endorsed(message: Mapping[str, Any], draft: str | None, at: At, heard: _Discussion) -> str | None:
    """The draft that feedback agrees with: the one it was shown, else the last one; None where it does not agree."""
    if message.get("agreement") is not True:
        return None
    filled = _either(message, "additional_args", "additionalArgs")
    shown = _either(filled, "current_draft", "currentDraft") if isinstance(filled, dict) else None
    return heard.answer(at / "additional_args" / "current_draft", shown) if isinstance(shown, str) and shown else draft


def _vote(heard: _Discussion) -> None:
    """Take the last vote as a round of its own, where each panelist names one of the answers by its number."""
    turns = heard.given.get("votesEachTurn")
    if not isinstance(turns, dict) or not turns:
        return
    turn = list(turns)[-1]
    at = heard.at / "votesEachTurn" / turn
    vote = at.mapping(turns[turn])
    answers = (at / "answers").entries(_either(vote, "answers", "final_answers"), MOST_BALLOTS)
    ways = (at / "alterations").mapping(vote.get("alterations"))
    way = next((each for each in (*DECIDING, *ways) if each in ways), None)
    if way is None or vote.get("type") not in ONE_EACH:
        heard.missing[OTHER_VOTES] += 1
        return
    spot = at / "alterations" / way / "votes"
    votes = spot.entries((at / "alterations" / way).mapping(ways[way]).get("votes"), MOST_BALLOTS)
    voters = next((each for each in (heard.panelists, list(heard.voters.values())) if len(each) == len(votes)), None)
    if not voters:
        heard.missing[WHOSE_VOTES] += 1
        return
    last = max((turn for _, turn in heard.cast), default=0)
    for n, (voter, number) in enumerate(zip(voters, votes, strict=True)):
        (spot / n).whole(number, len(answers) - 1, least=0)
        heard.cast[voter, last + 1] = heard.answer(at / "answers" / number, answers[number])


def _either(given: Mapping[str, Any], one: str, other: str) -> Any:
    return given.get(one, given.get(other))
