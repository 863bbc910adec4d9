"""One plain debate in two ways: by Quorate, and by nothing but asyncio and an append-only log in SQLite.

N agents answer the same problem in R rounds, and see in each what all have said in the rounds before. Every answer is
durable before anything follows from it. The model answers at once, so that what is left is the engine's own cost.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import quorate as q
from quorate.codec import digest_text, encode_opening, parse_reply, protocol_digest
from quorate.core.record import Envelope, Opening, Record
from quorate.core.session import Step
from quorate.participants.port import Answer, Request, Say
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.runtime.writer import status_of
from quorate.store.journal import Journal

PROBLEM = "Choose how the orders of a shop reach its warehouse. It must survive a restart of every part.\n" * 10
SAID = "A queue with an outbox table is enough: it survives a restart, and nobody has to run a broker. " * 5

Phase = Enum("Phase", "ROUND DONE")
Outcome = Enum("Outcome", "AGAIN ENOUGH")


@dataclass(frozen=True, slots=True)
class Position(q.Reply):
    text: Annotated[q.Prose, "your position"]


def debate(agents: int, rounds: int) -> q.Protocol[Any]:
    """Return the debate as a protocol; its state is the round."""
    seats = tuple(q.Seat(f"agent-{number}") for number in range(1, agents + 1))

    def ask(_: int) -> tuple[q.Question, ...]:
        return tuple(q.Question(seat, "answer", Position) for seat in seats)

    def count(state: int, _: q.Replies) -> q.Decision[int]:
        enough = q.compare("B1", Outcome.ENOUGH, ("round", state), ">=", rounds)
        return q.choose(state + 1, (enough, q.otherwise("B2", Outcome.AGAIN)))

    return q.draft(
        "rounds",
        seats=seats,
        forms=(Position,),
        briefs={"answer": "# Answer\n\nSay what you would do, and why, in the light of what the others have said."},
        phases={Phase.ROUND: q.Node(ask, count)},
        table={Phase.ROUND: {Outcome.AGAIN: Phase.ROUND, Outcome.ENOUGH: Phase.DONE}},
        ends={Phase.DONE: 0},
        stopped=Phase.DONE,
        start=1,
    )


@dataclass(frozen=True, slots=True)
class Instant:
    """A model that has its answer at once, as the text that a model would write."""

    name: str = "instant"
    provider: str = "instant"
    concurrency: int = 1_000
    window: int | None = None

    def most_tokens(self, prompt_tokens: int, repairs: int = 2, *, looks: bool = False) -> int:
        return prompt_tokens + 200

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        return Answer(parse_reply(request.ask, json.dumps({"text": SAID})), self.name, 900, 150)


@cache
def prepared(agents: int, rounds: int) -> tuple[q.Protocol[Any], str]:
    """Return the debate and its digest, made once for all that are run, as others compile their graph."""
    protocol = debate(agents, rounds)
    return protocol, protocol_digest(protocol)


async def by_quorate(journal: Journal, session: str, agents: int, rounds: int) -> int:
    """Run one debate; return how many answers are kept."""
    protocol, digest = prepared(agents, rounds)
    material = {"problem": PROBLEM}
    opening = Opening(
        session=session,
        protocol=protocol.name,
        version=protocol.version,
        digest=digest,
        title="Orders",
        seed=1,
        settings={},
        panel={str(seat): "instant" for seat in protocol.seats},
        material={name: digest_text(text) for name, text in material.items()},
    )
    record = Record(protocol, opening, material)
    kept = {digest_text(text): text for text in material.values()}
    status = status_of(record, Step(record.session))
    await journal.create(session, protocol.name, "Orders", 0, encode_opening(opening, Envelope()), kept, status)
    executor = Executor(
        session_id=session,
        record=record,
        journal=journal,
        panel={seat: Instant() for seat in protocol.seats},
        purse=Purse.of(Budget(), []),
        owner="benchmark",
    )
    await executor.drive()
    return len(record.envelopes)


async def raw(log: sqlite3.Connection, agents: int, rounds: int) -> int:
    """Run the same debate with nothing that is not needed; return how many answers are kept."""
    said: list[str] = []
    kept = 0

    async def answer(agent: int, prompt: str) -> str:
        await asyncio.sleep(0)
        text: str = json.loads(json.dumps({"text": SAID}))["text"]
        log.execute("INSERT INTO log (agent, prompt, text) VALUES (?, ?, ?)", (agent, len(prompt), text))
        log.commit()
        return text

    for _ in range(rounds):
        prompts = ["\n\n".join([PROBLEM, *said, f"You are agent-{agent}."]) for agent in range(agents)]
        answers = await asyncio.gather(*(answer(agent, prompt) for agent, prompt in enumerate(prompts)))
        said += [f"agent-{agent}: {text}" for agent, text in enumerate(answers)]
        kept += len(answers)
    return kept


def raw_log(file: Path) -> sqlite3.Connection:
    """Open a log as durable as a journal."""
    log = sqlite3.connect(file)
    log.execute("PRAGMA journal_mode = WAL")
    log.execute("PRAGMA synchronous = FULL")
    log.execute("CREATE TABLE log (number INTEGER PRIMARY KEY, agent INTEGER, prompt INTEGER, text TEXT)")
    return log
