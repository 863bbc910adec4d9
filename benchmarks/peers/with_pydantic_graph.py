"""The debate by pydantic-graph: a step that is mapped over the agents and joined again. It keeps nothing on disk."""

from __future__ import annotations

from dataclasses import dataclass, field

from debate import Debate, measure
from pydantic_graph import GraphBuilder, StepContext, reduce_list_append

DURABILITY = "NONE: the library has no persistence, everything is in memory"


@dataclass
class Held:
    said: list[str] = field(default_factory=list)
    round: int = 0


async def run(debate: Debate) -> None:
    g = GraphBuilder(state_type=Held, output_type=int)

    @g.step
    async def ask(ctx: StepContext[Held, None, int | None]) -> list[int]:
        return list(range(debate.agents))

    @g.step
    async def speak(ctx: StepContext[Held, None, int]) -> tuple[int, str]:
        agent = ctx.inputs
        return agent, await debate.answer(agent, debate.prompt(ctx.state.said, agent))

    collect = g.join(reduce_list_append, initial_factory=list[tuple[int, str]])

    @g.step
    async def count(ctx: StepContext[Held, None, list[tuple[int, str]]]) -> int:
        ctx.state.said += [debate.said(agent, text) for agent, text in sorted(ctx.inputs)]
        ctx.state.round += 1
        return ctx.state.round

    g.add(
        g.edge_from(g.start_node).to(ask),
        g.edge_from(ask).map().to(speak),
        g.edge_from(speak).to(collect),
        g.edge_from(collect).to(count),
        g.edge_from(count).to(
            g.decision()
            .branch(g.match(int, matches=lambda round_: round_ < debate.rounds).to(ask))
            .branch(g.match(int).to(g.end_node))
        ),
    )
    graph = g.build()
    debate.begin()
    await graph.run(state=Held())
    debate.end()


if __name__ == "__main__":
    measure("pydantic-graph", ("pydantic-graph",), DURABILITY, run, per_call=False)
