"""The debate by LangGraph: a node for each agent, fanned out and in again, and a checkpointer on SQLite.

    python with_langgraph.py ASKED [sync]

`durability="sync"` is the mode that its documentation calls the most durable. With `sync` the graph is invoked without
an event loop, and the blocking saver is used.
"""

from __future__ import annotations

import operator
import sqlite3
import sys
from contextlib import closing
from typing import Annotated, Any, TypedDict

from debate import Debate, measure
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, StateGraph

DURABILITY = 'checkpoint per step and pending writes per call, durability="sync", WAL, synchronous=FULL'


class State(TypedDict):
    said: Annotated[list[str], operator.add]
    round: int


def graph(debate: Debate, waits: bool) -> StateGraph[Any]:
    made: StateGraph[Any] = StateGraph(State)
    names = [f"agent-{agent}" for agent in range(debate.agents)]
    for agent, name in enumerate(names):
        made.add_node(name, waiting(debate, agent) if waits else blocking(debate, agent))
        made.add_edge(START, name)
    made.add_node("count", lambda state: {"round": state["round"] + 1})
    made.add_edge(names, "count")
    made.add_conditional_edges("count", lambda state: END if state["round"] == debate.rounds else names, [*names, END])
    return made


def waiting(debate: Debate, agent: int) -> Any:
    async def speak(state: State) -> dict[str, list[str]]:
        text = await debate.answer(agent, debate.prompt(state["said"], agent))
        return {"said": [debate.said(agent, text)]}

    return speak


def blocking(debate: Debate, agent: int) -> Any:
    def speak(state: State) -> dict[str, list[str]]:
        text = debate.answer_now(agent, debate.prompt(state["said"], agent))
        return {"said": [debate.said(agent, text)]}

    return speak


def config(debate: Debate) -> Any:
    return {"configurable": {"thread_id": "debate"}, "recursion_limit": 4 * debate.rounds + 10}


async def run(debate: Debate) -> None:
    async with AsyncSqliteSaver.from_conn_string(str(debate.folder / "langgraph.db")) as saver:
        await saver.setup()
        compiled = graph(debate, waits=True).compile(checkpointer=saver)
        debate.begin()
        await compiled.ainvoke({"said": [], "round": 0}, config(debate), durability="sync")
        debate.end()


def run_sync(debate: Debate) -> None:
    with closing(sqlite3.connect(debate.folder / "langgraph.db", check_same_thread=False)) as connection:
        saver = SqliteSaver(connection)
        saver.setup()
        compiled = graph(debate, waits=False).compile(checkpointer=saver)
        debate.begin()
        compiled.invoke({"said": [], "round": 0}, config(debate), durability="sync")
        debate.end()


if __name__ == "__main__":
    packages = ("langgraph", "langgraph-checkpoint-sqlite")
    if sys.argv[2:] == ["sync"]:
        measure("LangGraph, SqliteSaver", packages, DURABILITY, run_sync)
    else:
        measure("LangGraph, AsyncSqliteSaver", packages, DURABILITY, run)
