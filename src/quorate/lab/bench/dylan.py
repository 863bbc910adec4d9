"""Importer of DyLAN's records, in the two shapes that its scripts write.

**Transcripts** (`code/MATH`): one object, question -> [messages of each agent, truth, level, type], without level and
type for single choices. A message with the role `assistant` is an answer. What of it can be relied upon:

- An agent that was not asked, since enough others had agreed, has no transcript, or a shorter one.
- Where agreement came right after the ranking, only the two agents that were chosen are kept, without names and often
  without their first answers. Such questions are left out.
- Answers of the third round are filed under the first agents, whoever gave them. Their prompts quote the second answers
  of the agents that were chosen, and that tells whose they are; where it does not, they are left out.

**Completions** (`code/MMLU`): JSON lines without questions and truths, for each question a list of agents, each with
its replies by round; null where it was not asked. The truth stands in the table of questions (CSV, last column) that
the run was started with. The `.txt` beside tells which decisions were right, but not what would have been right for the
others, so that it is no truth. Completions of HumanEval are programs, which no vote can compare.

The answer of a single choice is the last letter in brackets; of a calculation, what stands in the last box, or behind
the last "answer is".
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from quorate.codec.canonical import clean
from quorate.core.errors import InputError, SettingError
from quorate.files.named_file import text_of
from quorate.lab.bench.ballots import (
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
from quorate.lab.bench.comparable import boxed, formula, options

MOST_AGENTS = 100
MOST_TEXT = 1_000_000
LETTERS = frozenset("ABCD")
EITHER_CASE = frozenset("ABCDabcd")
NO_TRUTH = "{n} questions have no truth: name the table of questions with --truth"
NO_GOLD = "{n} questions have a truth that is empty or too long to be compared"
UNMARKED = "{n} replies mark no answer, and count as no usable one"
CHOSEN_ONLY = "{n} questions keep the chosen agents alone, and nobody knows which these are: left out"
WHOSE = "{n} answers of the third round are filed under somebody else, and nobody knows whose they are: left out"
NOT_ASKED = "in {n} questions not everybody was asked in the first round, since enough had agreed"
Reading = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """One answer of an agent, and what it had been shown."""

    prompt: str
    reply: str


def read_dylan(path: Path, truth: Path | None = None) -> Recorded:
    """Read a file of records, and the truths of completions; what is not of their format raises InputError."""
    text = text_of(path, MOST_BYTES, "the JSON records of DyLAN")
    missing = Counter[str]()
    if not text.lstrip().startswith("{"):
        return Recorded.of(checked(path, _completions(path, text, truth, missing)), missing)
    if '"task_id"' in text[:200]:
        At(str(path), 1).wrong("holds programs of HumanEval, which no vote can compare", "records of MMLU or MATH")
    if truth is not None:
        raise SettingError("is for completions; transcripts have their own truths", key="truth", expected="no --truth")
    return Recorded.of(checked(path, _transcripts(path, text, missing)), missing)


# Completions ---------------------------------------------------------------------------------------------------------


def _completions(path: Path, text: str, truth: Path | None, missing: Counter[str]) -> list[RecordedItem]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if len(lines) > MOST_ITEMS:
        At(str(path)).wrong(f"has {len(lines):,} lines", f"at most {MOST_ITEMS:,}")
    told = [_replies(At(str(path), number), parsed(path, line, number)) for number, line in lines]
    said = [reply for agents in told for replies in agents for reply in replies if reply is not None]
    if 2 * sum("```python" in reply for reply in said) > len(said):
        At(str(path)).wrong("holds programs, which no vote can compare", "records of MMLU or MATH")
    truths = _truths(truth) if truth is not None else [None] * len(told)
    if truth is not None and len(truths) < len(told):
        At(str(truth)).wrong(f"has {len(truths):,} questions", f"those of {path.name}, which are {len(told):,}")
    choice = truth is not None or 2 * sum(bool(options(reply, EITHER_CASE)) for reply in said) > len(said)
    read = _chosen if choice else _calculated
    missing[NO_TRUTH] += len(told) if truth is None else 0
    return [
        _ballots(At(str(path), number), f"line {number}", gold, agents, read, missing)
        for (number, _), agents, gold in zip(lines, told, truths, strict=False)
    ]


def _replies(at: At, data: Any) -> list[list[str | None]]:
    found: list[list[str | None]] = []
    for number, given in enumerate(at.entries(data, MOST_AGENTS)):
        spot = at / number
        replies = spot.entries(given, MOST_ROUNDS)
        found.append([None if each is None else (spot / n).prose(each, MOST_TEXT) for n, each in enumerate(replies)])
    return found


def _truths(path: Path) -> list[str | None]:
    """The letters in the last column of a table of questions."""
    found: list[str | None] = []
    rows = csv.reader(io.StringIO(text_of(path, MOST_BYTES, "the table of questions (CSV)"), newline=""), strict=True)
    try:
        for row in rows:
            if row and (len(row) < 3 or row[-1].strip() not in LETTERS):
                At(str(path), rows.line_num).wrong("ends with no letter", "a question, its options, and A, B, C or D")
            found += [row[-1].strip()] if row else []
    except csv.Error as error:
        raise InputError(f"is not valid CSV: {error}", file=str(path), line=rows.line_num, expected="CSV") from error
    return found


# Transcripts ---------------------------------------------------------------------------------------------------------


def _transcripts(path: Path, text: str, missing: Counter[str]) -> list[RecordedItem]:
    at = At(str(path))
    data = at.mapping(parsed(path, text))
    if len(data) > MOST_ITEMS:
        at.wrong(f"has {len(data):,} questions", f"at most {MOST_ITEMS:,}")
    told = [_entry(at / number, each) for number, each in enumerate(data.values(), 1)]
    read = _chosen if all(gold.strip() in LETTERS for _, gold in told) else _calculated
    seats = max((len(agents) for agents, _ in told), default=0)
    shared = _shared(data)
    items = []
    for number, (question, (agents, gold)) in enumerate(zip(data, told, strict=True), start=1):
        if any(turns for turns in agents) and _kept_chosen(question, agents, seats):
            missing[CHOSEN_ONLY] += 1
            continue
        known = formula(gold) if read is _calculated else gold.strip()
        missing[NO_GOLD] += known is None
        replies = _by_agent(agents, missing) + [[] for _ in range(seats - len(agents))]
        items.append(_ballots(at / number, _name(question, shared), known, replies, read, missing))
    if told and not items:
        at.wrong("keeps the agents that were chosen, and not their first round", "a record with a first round")
    return items


def _entry(at: At, data: Any) -> tuple[list[list[AgentAnswer]], str]:
    parts = at.entries(data, 4)
    if len(parts) < 2:
        at.wrong("is too short", "[messages of each agent, truth, level, type]")
    agents = [
        _turns(at / 0 / number, messages) for number, messages in enumerate((at / 0).entries(parts[0], MOST_AGENTS))
    ]
    return agents, (at / 1).prose(parts[1], MOST_TEXT)


def _turns(at: At, messages: Any) -> list[AgentAnswer]:
    found, prompt = [], ""
    for place, each in enumerate(at.entries(messages, 3 * MOST_ROUNDS)):
        message = (at / place).mapping(each)
        if message.get("role") in ("user", "assistant"):
            said = (at / place / "content").prose(message.get("content"), MOST_TEXT)
            if message["role"] == "user":
                prompt = said
            else:
                found.append(AgentAnswer(prompt, said))
    return found


def _kept_chosen(question: str, agents: Sequence[Sequence[AgentAnswer]], seats: int) -> bool:
    """Whether only those are kept that a ranking chose: they begin later, or they talked on while others are gone."""
    later = any(turns and turns[0].prompt != clean(question) for turns in agents)
    return later or (len(agents) < seats and any(len(turns) > 1 for turns in agents))


def _by_agent(agents: Sequence[Sequence[AgentAnswer]], missing: Counter[str]) -> list[list[str | None]]:
    """Return the replies of each agent by round, with those of the third round given to their agents."""
    found: list[list[str | None]] = [[turn.reply for turn in turns[:2]] for turns in agents]
    filed = [number for number, turns in enumerate(agents) if len(turns) > 2]
    owners = filed if len(filed) == len(agents) else _owners(agents, filed)
    for number, owner in zip(filed, owners, strict=True):
        later = [turn.reply for turn in agents[number][2:]]
        if owner is None:
            missing[WHOSE] += len(later)
        else:
            found[owner] += later
    return found


def _owners(agents: Sequence[Sequence[AgentAnswer]], filed: Sequence[int]) -> list[int] | list[None]:
    """Return the agents that gave the answers of the third round, by the second answers that their prompts quote."""
    second = {number: turns[1].reply for number, turns in enumerate(agents) if len(turns) > 1 and turns[1].reply}
    quoted = []
    for number in filed:
        prompt = agents[number][2].prompt
        places = {each: prompt.find(f"```{reply}```") for each, reply in second.items()}
        quoted.append(sorted((each for each, place in places.items() if place >= 0), key=lambda each: places[each]))
    if all(each == quoted[0] for each in quoted) and filed and len(quoted[0]) == len(filed):
        return quoted[0]
    return [None] * len(filed)


def _shared(questions: Collection[str]) -> int:
    """Return the length of the beginning that all questions share, where each repeats the same examples."""
    least, most = min(questions, default=""), max(questions, default="")
    if least == most:
        return 0
    return next((n for n, (one, other) in enumerate(zip(least, most, strict=False)) if one != other), len(least))


def _name(question: str, shared: int) -> str:
    # Questions are long, and one may stand in several files: a digest is a name that stays.
    known = clean(question)
    return f"{' '.join(known[shared:].split())[:60]} {sha256(known.encode()).hexdigest()[:8]}".strip()


# Both ----------------------------------------------------------------------------------------------------------------


def _ballots(
    at: At, name: str, truth: str | None, agents: Sequence[Sequence[str | None]], read: Reading, missing: Counter[str]
) -> RecordedItem:
    ballots = [
        Ballot(f"agent {number}", turn, read(reply))
        for number, replies in enumerate(agents, start=1)
        for turn, reply in enumerate(replies, start=1)
        if reply is not None
    ]
    if not ballots:
        at.wrong("has no answer of anybody", "at least one reply")
    missing[UNMARKED] += sum(each.answer is None for each in ballots)
    missing[NOT_ASKED] += any(not replies or replies[0] is None for replies in agents)
    return RecordedItem(name, truth, tuple(ballots))


def _chosen(reply: str) -> str | None:
    found = options(reply, EITHER_CASE)
    return found[-1] if found else None


def _calculated(reply: str) -> str | None:
    said = boxed(reply)
    return formula(said) if said is not None else None
