"""The debate by asyncio and an append-only log in SQLite: what nobody who wants durability can do without."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

from debate import Debate, measure

DURABILITY = "every answer inserted and flushed (WAL, synchronous=FULL) before anything follows"


async def run(debate: Debate) -> None:
    with closing(sqlite3.connect(debate.folder / "raw.db")) as log:
        log.execute("PRAGMA journal_mode = WAL")
        log.execute("PRAGMA synchronous = FULL")
        log.execute("CREATE TABLE log (number INTEGER PRIMARY KEY, agent INTEGER, text TEXT)")
        debate.begin()
        said: list[str] = []

        async def speak(agent: int) -> str:
            text = await debate.answer(agent, debate.prompt(said, agent))
            log.execute("INSERT INTO log (agent, text) VALUES (?, ?)", (agent, text))
            log.commit()
            return debate.said(agent, text)

        for _ in range(debate.rounds):
            said += await asyncio.gather(*(speak(agent) for agent in range(debate.agents)))
        debate.end()


if __name__ == "__main__":
    measure("raw", (), DURABILITY, run)
