"""The debate by Quorate, as anybody's protocol: the one of `benchmarks/rounds.py` on a SQLite journal."""

from __future__ import annotations

import sys
from pathlib import Path

from debate import Debate, measure

sys.path.insert(0, str(Path(__file__).parents[1]))

import rounds
from engine_debate import Stamped

DURABILITY = "the answers that are there together flushed together (WAL, synchronous=FULL), before anything follows"


async def run(debate: Debate) -> None:
    journal = Stamped(debate.folder / "quorate.db")
    rounds.prepared(debate.agents, debate.rounds)
    debate.begin()
    debate.calls = await rounds.by_quorate(journal, "debate", debate.agents, debate.rounds)
    debate.end()
    # The executor calls its participants itself, so a round is over when its last answer is in the journal.
    kept = [at for seq, at in journal.by_entry.items() if seq % debate.agents == 0]
    debate.starts = [debate.began, *kept[1:-1]]
    await journal.close()


if __name__ == "__main__":
    measure("Quorate", ("quorate",), DURABILITY, run)
