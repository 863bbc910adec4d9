"""The debate by LlamaIndex Workflows: events to one step for each agent, collected again.

It has no checkpointer. Its documentation has the caller listen to the stream and write a snapshot of the context
whenever a step has finished, which is done here, into one row of a SQLite table. What follows may have begun by then.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

from debate import Debate, measure
from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StepState, StepStateChanged, StopEvent

DURABILITY = "snapshot of the context per finished step, replaced in one row (WAL, FULL), beside the run and not before"


class Ask(Event):
    agent: int


class Said(Event):
    agent: int
    text: str


class Deliberation(Workflow):
    def __init__(self, debate: Debate) -> None:
        super().__init__(timeout=None)
        self.debate = debate

    @step
    async def open(self, ctx: Context, ev: StartEvent) -> Ask | None:
        await ctx.store.set("said", [])
        self.ask(ctx)
        return None

    def ask(self, ctx: Context) -> None:
        for agent in range(self.debate.agents):
            ctx.send_event(Ask(agent=agent))

    @step(num_workers=16)
    async def speak(self, ctx: Context, ev: Ask) -> Said:
        said = await ctx.store.get("said")
        return Said(agent=ev.agent, text=await self.debate.answer(ev.agent, self.debate.prompt(said, ev.agent)))

    @step
    async def gather(self, ctx: Context, ev: Said) -> Ask | StopEvent | None:
        events = ctx.collect_events(ev, [Said] * self.debate.agents)
        if events is None:
            return None
        said: list[str] = await ctx.store.get("said")
        said = said + [self.debate.said(each.agent, each.text) for each in sorted(events, key=lambda each: each.agent)]
        await ctx.store.set("said", said)
        if len(said) == self.debate.agents * self.debate.rounds:
            return StopEvent(result=len(said))
        self.ask(ctx)
        return None


async def run(debate: Debate) -> None:
    with closing(sqlite3.connect(debate.folder / "workflows.db")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("CREATE TABLE runs (name TEXT PRIMARY KEY, context TEXT)")
        workflow: Any = Deliberation(debate)
        debate.begin()
        handler = workflow.run()
        async for event in handler.stream_events(expose_internal=True):
            if isinstance(event, StepStateChanged) and event.step_state == StepState.NOT_RUNNING:
                snapshot = json.dumps(handler.ctx.to_dict())
                database.execute("INSERT OR REPLACE INTO runs VALUES ('debate', ?)", (snapshot,))
                database.commit()
        await handler
        debate.end()


if __name__ == "__main__":
    measure("LlamaIndex Workflows", ("llama-index-workflows",), DURABILITY, run)
