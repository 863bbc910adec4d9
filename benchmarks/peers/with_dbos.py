"""The debate by DBOS: a workflow whose steps are the calls, on a SQLite system database."""

from __future__ import annotations

import asyncio
import logging

from dbos import DBOS, DBOSConfig
from debate import Debate, measure

DURABILITY = "a row for each step before the workflow goes on (SQLite, rollback journal, synchronous=FULL)"
RUNNING: list[Debate] = []
"""The debate under way: steps are functions of their arguments, and prompts are no arguments that have to be kept."""


@DBOS.step()
async def speak(agent: int, prompt: str) -> str:
    return await RUNNING[-1].answer(agent, prompt)


@DBOS.workflow()
async def deliberate(agents: int, rounds: int) -> int:
    debate, said = RUNNING[-1], list[str]()
    for _ in range(rounds):
        prompts = [debate.prompt(said, agent) for agent in range(agents)]
        texts = await asyncio.gather(*(speak(agent, prompt) for agent, prompt in enumerate(prompts)))
        said += [debate.said(agent, text) for agent, text in enumerate(texts)]
    return len(said)


async def run(debate: Debate) -> None:
    RUNNING.append(debate)
    config: DBOSConfig = {
        "name": "debate",
        "system_database_url": f"sqlite:///{debate.folder / 'dbos.sqlite'}",
        "run_admin_server": False,
        "log_level": "ERROR",
    }
    DBOS(config=config)
    DBOS.launch()
    try:
        debate.begin()
        await deliberate(debate.agents, debate.rounds)
        debate.end()
    finally:
        DBOS.destroy()


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    measure("DBOS", ("dbos",), DURABILITY, run)
