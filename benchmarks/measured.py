"""Whether measured ballots tell a faulty change from its mended twin better than what the same model writes.

    python benchmarks/measured.py local:qwen2.5-coder-0.5b --pairs 12

Every change of a fixed sample of the corpus is put to one member of a review, as the first ballot of a session puts it.
The reply holds both: the stance and confidence that were filled in, and what was measured in the same conversation.
Either is read as a number, how sure the seat is that the change must not go in; a pair is right where the faulty twin's
is higher. What is finished is kept in --out and never asked again, so that the same command goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.opening import open_named
from quorate.api.reply_masks import cleaning, cleaning_text
from quorate.api.sessions import load
from quorate.core.types import Absent, Seat
from quorate.exam.scores import discrimination
from quorate.lab.bench.corpus import ChangeItem, sample
from quorate.lab.lab import lab_of
from quorate.participants.person import Person
from quorate.participants.port import Participant, Request
from quorate.runtime.asks import request_of
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.store.memory import MemoryJournal
from quorate.store.process import a_driver
from quorate.workspace import find_workspace

MEMBER = "engineering-architect"
OTHERS = ("chair", "skeptic", "proposer")
PATIENCE = 1_800
"""Seconds for one ballot: a machine that does other work should leave no gaps in the figures."""
AGAINST = {"oppose", "veto"}
FOR = "synthesis"
NEUTRAL = {"summary": "The change stands below.", "questions": []}


def main(words: Sequence[str]) -> int:
    given = _arguments(words)
    kept = given.out / (re.sub(r"[^\w.-]+", "-", given.model) + ".jsonl")
    kept.parent.mkdir(parents=True, exist_ok=True)
    asyncio.run(_run(given.model, sample(2 * given.pairs, given.seed), kept))
    sys.stdout.write(table(given.model, _read(kept)))
    return 0


async def _run(model: str, items: Sequence[ChangeItem], kept: Path) -> None:
    done = {each["item"] for each in _read(kept)}
    for item in items:
        if item.id in done:
            continue
        with TemporaryDirectory() as folder:
            request, who = await _ballot(item, model, Path(folder))
            answer = await who.reply(request, lambda _: None)
        assert answer is not None, "a model leaves no ask open"
        if isinstance(answer.reply, Absent):
            sys.stderr.write(f"{item.id}: no reply, so it is asked again the next time: {answer.detail}\n")
            continue
        reply: Any = answer.reply
        found = next((each for each in answer.measured if each.at == "stance"), None)
        line: dict[str, Any] = {"item": item.id, "pair": item.twins.id, "faulty": item.faulty}
        line |= {"written": [reply.stance.value, reply.confidence], "measured": None}
        if found is not None:
            line |= {"written": [found.said, found.stated], "measured": dict(found.shares)[FOR]}
        line |= {"detail": answer.detail, "tokens": answer.tokens_in + answer.tokens_out}
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        sys.stderr.write(f"{item.id}: {line['written']}, measured {line['measured']}\n")


async def _ballot(item: ChangeItem, model: str, folder: Path) -> tuple[Request, Participant]:
    """Return what a member is asked in the first ballot about a change, and who answers; nobody else says anything."""
    journal, workspace = MemoryJournal(), find_workspace(folder, {})
    lab = lab_of(catalog.definition("review"))
    assert lab is not None
    panel = {"seats": {MEMBER: {"model": model, "timeout": PATIENCE}, **dict.fromkeys(OTHERS, _neutral)}}
    opened = await open_named(
        workspace,
        journal,
        "review",
        lab.inputs(item.task(), folder),
        settings={"members": [MEMBER]},
        panel=panel,
        seed=1,
    )
    record = (await load(workspace, journal, opened.session)).record
    table = dict(seats.seat(record.protocol, panel, record.opening.run).items())
    who = table[Seat(MEMBER)]
    executor = Executor(
        session_id=opened.session,
        record=record,
        journal=journal,
        panel={seat: Person() if seat == MEMBER else each for seat, each in table.items()},
        purse=Purse.of(Budget(), record.envelopes),
        owner=a_driver(),
        clean=cleaning(record),
        clean_text=cleaning_text(record),
    )
    await executor.drive()
    (ask,) = record.session.open
    return request_of(record, ask, who, None)[0], who


def _neutral(_: Request) -> dict[str, Any]:
    return NEUTRAL


def _read(kept: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()] if kept.exists() else []


# Figures


def written_score(line: dict[str, Any]) -> int:
    """How sure the seat said it is that the change must not go in, from -100 to 100."""
    stance, confidence = line["written"]
    return int(confidence) * ((stance in AGAINST) - (stance == FOR))


def measured_score(line: dict[str, Any]) -> int:
    return -int(line["measured"])


def table(model: str, lines: Sequence[dict[str, Any]]) -> str:
    """Return the figures of all pairs of which both twins were judged and measured, as Markdown."""
    usable = [line for line in lines if line["measured"] is not None]
    faulty = {line["pair"]: line for line in usable if line["faulty"]}
    clean = {line["pair"]: line for line in usable if not line["faulty"]}
    pairs = sorted(faulty.keys() & clean.keys())
    rows = [
        f"{model}: {len(lines)} ballots, {len(pairs)} pairs of which both twins were measured\n",
        "| | faulty twin higher | alike | clean twin higher | any faulty above any clean, with interval |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, score in (("written", written_score), ("measured", measured_score)) if pairs else ():
        bad, good = [score(faulty[pair]) for pair in pairs], [score(clean[pair]) for pair in pairs]
        gaps = [one - other for one, other in zip(bad, good, strict=True)]
        right, alike = sum(gap > 0 for gap in gaps), sum(gap == 0 for gap in gaps)
        area = discrimination(bad, good)
        share = f"{area.value / 10:.0f} % ({area.low / 10:.0f}–{area.high / 10:.0f})"
        rows.append(f"| {name} | {right} | {alike} | {len(pairs) - right - alike} | {share} |")
    return "\n".join(rows) + "\n"


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    reader = argparse.ArgumentParser(description="Compare measured with written ballots on pairs of the corpus.")
    reader.add_argument("model", metavar="MODEL", help="an embedded model, such as local:qwen2.5-coder-0.5b")
    reader.add_argument("--pairs", type=int, default=12, metavar="N")
    reader.add_argument("--seed", type=int, default=1, metavar="N")
    reader.add_argument("--out", type=Path, default=Path("quorate-out/measured"), metavar="DIR")
    return reader.parse_args(words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
