"""How well triage tells faulty changes: every pair of the corpus, which is no part of the exam, with one model or more.

    python benchmarks/triage.py local:qwen2.5-coder-0.5b local:qwen2.5-coder-1.5b

Each change is read as the diff that `quorate triage --diff` is given, and its functions are asked about as it asks. The
faulty function is held against the same one in the clean change; a change counts as flagged where any function is. The
flags need what `quorate exam MODEL --flags` has measured; without it there is none. All
answers are kept in --out, so the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from quorate.api.exams import candidate
from quorate.exam.clean_changes import how_asked
from quorate.lab.bench.corpus import Twins, sample
from quorate.participants.respondent import LocalRespondent, RemoteRespondent
from quorate.participants.token_odds import PlainAnswer
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Diff
from quorate.protocols.review.world.triage.order import Ranked, Thresholds, ranked
from quorate.protocols.review.world.triage.survey import Survey, survey
from quorate.protocols.review.world.triage.thresholds import paper, thresholds_of
from quorate.simulate.intervals import clopper_pearson


class Remembering:
    """A model whose answers to the same question are kept in a file."""

    def __init__(self, who: LocalRespondent | RemoteRespondent, file: Path) -> None:
        self.who, self.file = who, file
        lines = file.read_text().splitlines() if file.exists() else []
        self.known = {each["question"]: each["odds"] for each in map(json.loads, lines)}

    async def hear(self, question: str, most_tokens: int, *, odds: bool) -> PlainAnswer:
        key = sha256(question.encode()).hexdigest()[:32]
        if key not in self.known:
            heard = await self.who.hear(question, most_tokens, odds=odds)
            self.known[key] = [heard.text, heard.alternatives]
            with self.file.open("a") as file:
                file.write(json.dumps({"question": key, "odds": self.known[key]}) + "\n")
        text, alternatives = self.known[key]
        return PlainAnswer(text, tuple((token, chance) for token, chance in alternatives))


def main(words: Sequence[str]) -> int:
    reader = argparse.ArgumentParser(description="Triage of the corpus's pairs of changes.")
    reader.add_argument("models", nargs="+", metavar="MODEL")
    reader.add_argument("--pairs", type=int, metavar="N", help="so many, as evenly over kinds and languages as can be")
    reader.add_argument("--out", type=Path, default=Path("quorate-out/triage"), metavar="DIR")
    given = reader.parse_args(words)
    for model in given.models:
        sys.stdout.write(asyncio.run(_model(model, given)))
    return 0


async def _model(model: str, given: argparse.Namespace) -> str:
    who = candidate(model)
    given.out.mkdir(parents=True, exist_ok=True)
    file = given.out / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model)}.{how_asked(paper())}.jsonl"
    memory = Remembering(who, file)
    pairs = list(dict.fromkeys(item.twins for item in sample(None, seed=1)))[: given.pairs]
    found = []
    for number, pair in enumerate(pairs, 1):
        found.append((pair, await _asked(pair, memory, faulty=True), await _asked(pair, memory, faulty=False)))
        sys.stderr.write(f"\r{number} of {len(pairs)} pairs")
    thresholds = thresholds_of(model)
    return _told(model, thresholds, [_Pair(each, faulty, clean, thresholds) for each, faulty, clean in found])


async def _asked(pair: Twins, memory: Remembering, *, faulty: bool) -> Survey:
    with tempfile.TemporaryDirectory() as folder:
        change = read_change(Diff.of_text(pair.diff(faulty=faulty)), Path(folder))
    return await survey(change, memory, paper(), functions_only=True)


class _Pair:
    """Where the two changes of a pair stand."""

    def __init__(self, pair: Twins, faulty: Survey, clean: Survey, thresholds: Thresholds | None) -> None:
        self.pair = pair
        self.faulty, self.clean = ranked(faulty.answers, thresholds), ranked(clean.answers, thresholds)
        self.bad = next(each for each in self.faulty if _holds(each, pair.line))
        name = self.bad.answered.snippet.name
        self.good = next((each for each in self.clean if each.answered.snippet.name == name), self.clean[0])

    @property
    def new(self) -> bool:
        return self.bad.answered.before is None

    @property
    def margin(self) -> int:
        """How much worse the faulty function looks than the same one in the clean change."""
        return self.bad.difference - self.good.difference


def _holds(each: Ranked, line: int) -> bool:
    first = each.answered.snippet.line
    return first <= line < first + each.answered.snippet.after.count("\n")


def _told(model: str, thresholds: Thresholds | None, pairs: Sequence[_Pair]) -> str:
    lines = [f"{model}: {len(pairs)} pairs"]
    for name, some in (
        ("all", pairs),
        ("changed functions", [each for each in pairs if not each.new]),
        ("new functions", [each for each in pairs if each.new]),
        *((language, [each for each in pairs if each.pair.language.value == language]) for language in _LANGUAGES),
    ):
        ties = sum(each.margin == 0 for each in some)
        lines.append(
            f"  {name}: faulty first in {_share(sum(each.margin > 0 for each in some), len(some))}, {ties} ties"
        )
        if thresholds is not None:
            for what, sides in (("faulty", [each.faulty for each in some]), ("clean", [each.clean for each in some])):
                flagged = sum(any(place.flagged for place in side) for side in sides)
                lines.append(f"    {what} changes flagged: {_share(flagged, len(some))}")
    if thresholds is None:
        lines.append(f"  no flags: quorate exam {model} --protocol review --flags")
    else:
        lines.append(f"  {thresholds}")
    return "\n".join(lines) + "\n"


_LANGUAGES = ("python", "typescript", "go", "sql")


def _share(count: int, of: int) -> str:
    if not of:
        return "none"
    low, high = clopper_pearson(count, of)
    return f"{count} of {of} ({100 * count / of:.0f} %, {100 * low:.0f} to {100 * high:.0f})"


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
