"""The debate by Burr: a state machine with one action for a call, and its SQLite persister.

The persister writes the whole state after each action. Calls are made one after the other: Burr's parallel actions give
their sub-applications the same ids in every round (issue 761 of its repository), so they cannot be kept in a loop.
"""

from __future__ import annotations

from burr.core import ApplicationBuilder, State, action, expr
from burr.core.persistence import SQLitePersister
from debate import Debate, measure

DURABILITY = "whole state after each call, SQLitePersister (rollback journal, synchronous=FULL); calls one by one"


def run(debate: Debate) -> None:
    @action(reads=["said", "turn"], writes=["said", "turn"])
    def speak(state: State) -> State:
        round_, agent = divmod(state["turn"], debate.agents)
        earlier = state["said"][: round_ * debate.agents]
        text = debate.answer_now(agent, debate.prompt(earlier, agent))
        return state.append(said=debate.said(agent, text)).increment(turn=1)

    @action(reads=[], writes=[])
    def done(state: State) -> State:
        return state

    persister = SQLitePersister(str(debate.folder / "burr.db"))
    persister.initialize()
    last = debate.agents * debate.rounds
    application = (
        ApplicationBuilder()
        .with_actions(speak, done)
        .with_transitions(("speak", "done", expr(f"turn >= {last}")), ("speak", "speak"))
        .with_state(said=[], turn=0)
        .with_entrypoint("speak")
        .with_identifiers(app_id="debate")
        .with_state_persister(persister)
        .build()
    )
    debate.begin()
    application.run(halt_after=["done"])
    debate.end()
    persister.connection.close()


if __name__ == "__main__":
    measure("Burr", ("burr",), DURABILITY, run)
