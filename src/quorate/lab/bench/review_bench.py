"""Reviews of the corpus: the methods that can take it, one method on one change, and what is kept of that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from quorate import catalog
from quorate.core.errors import SettingError, nearest
from quorate.core.record import Record, Said
from quorate.core.types import Absent
from quorate.lab.bench.baseline import BaselineSettings, Way, concluded, voted
from quorate.lab.bench.bench import UNREACHED, Bench, cost_of, tokens_of
from quorate.lab.bench.conclusions import shown_alone
from quorate.lab.bench.corpus import ChangeItem, Language, Planted
from quorate.lab.bench.methods import PROTOCOL, Method
from quorate.lab.bench.review_score import (
    ReplyCounts,
    ReviewScore,
    busy,
    claims_in,
    reply_counts,
    score,
    voted_claims,
)
from quorate.lab.bench.task import Judged, MaterialKind, Task
from quorate.lab.lab import labs

CALLS = {"plain": 1, "plain3": 3}
"""Plain methods, and how often each of them asks."""
STANDARD_REVIEWS = (PROTOCOL, *CALLS)
NO_VERDICT = "NO VERDICT"


@dataclass(frozen=True, slots=True)
class ReviewMethod(Method):
    """A method that reviews changes, by its name on the command line."""

    @property
    def calls(self) -> int:
        """How many plain calls it makes; 0 for a protocol."""
        return CALLS.get(self.name, 0)

    @property
    def way(self) -> Way | None:
        return Way.SINGLE if self.calls else None


def read_review_methods(text: str) -> tuple[ReviewMethod, ...]:
    """Parse `protocol,plain,plain3`; a protocol that takes changes and makes findings may be named, too."""
    known = [*STANDARD_REVIEWS, *reviewing_protocols()]
    named = [each.strip() for each in text.split(",") if each.strip()]
    for name in named:
        if name not in known:
            expected = "some of " + ", ".join(known)
            raise SettingError(f"is {name!r}", key="methods", expected=expected, nearest=nearest(name, known))
    if not named:
        raise SettingError("names none", key="methods", expected="some of " + ", ".join(known))
    return tuple(map(ReviewMethod, dict.fromkeys(named)))


def reviewing_protocols() -> list[str]:
    """Return the installed protocols that are made for changes and make findings."""
    made = [name for name, lab in labs().items() if lab.takes is MaterialKind.CHANGE]
    return [name for name in made if catalog.definition(name).findings is not None]


@dataclass(frozen=True, slots=True)
class ReviewCell:
    """What one method made of one change."""

    task: str
    language: Language
    kind: Planted
    faulty: bool
    method: str
    verdict: str
    score: ReviewScore
    replies: ReplyCounts
    tokens_in: int
    tokens_out: int
    cost: int | None
    """Millionths of a US dollar; None where a price is not known."""
    asks: int
    milliseconds: int
    """Time in which at least one ask was waiting for its reply."""
    sessions: tuple[str, ...]
    failed: bool = False
    """Nobody could be reached, so it is run again when the run is resumed."""
    detail: str = ""
    """Why nobody could be reached, in the words of whoever was called."""

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    def data(self) -> dict[str, Any]:
        """Return the cell as plain data."""
        return {**asdict(self), "language": self.language.value, "kind": self.kind.value}


def read_review_cell(data: Mapping[str, Any]) -> ReviewCell:
    """The inverse of `ReviewCell.data`; KeyError, TypeError or ValueError for invalid data."""
    typed = {
        "language": Language(data["language"]),
        "kind": Planted(data["kind"]),
        "score": ReviewScore(**data["score"]),
        "replies": ReplyCounts(**data["replies"]),
        "sessions": tuple(data["sessions"]),
    }
    return ReviewCell(**{**data, **typed})


@dataclass
class ReviewBench(Bench):
    """A run over changes of the corpus."""

    items: Mapping[str, ChangeItem] = field(default_factory=dict)
    """By the ids of their tasks."""

    async def _cell(self, task: Task, method: Method) -> None:
        assert isinstance(method, ReviewMethod)
        item, records = self.items[task.id], list[Record]()
        settings = BaselineSettings(Way.SINGLE, 1, task.asked, task.keys)
        for place in range(method.calls):
            before = tokens_of(records)
            records.append(await self._plainly(task, method.name, settings, shown_alone(task), place, before))
        if (protocol := method.protocol(task)) is not None:
            records.append(await self._deliberated(task, method.name, protocol))
        self.cells.finish(review_cell(item, method, records))

    def _seed(self, task: Task, method: str, place: int = 0) -> int:
        """Return the seed of one session of a cell: calls that are to vote must not be the same one three times."""
        return int.from_bytes(sha256(f"{self.seed}\0{task.id}\0{method}\0{place}".encode()).digest()[:4]) // 2


def review_cell(item: ChangeItem, method: ReviewMethod, records: Sequence[Record]) -> ReviewCell:
    """Return what is kept of the sessions of one method on one change."""
    calls = [claims_in(record, item) for record in records]
    claims = voted_claims(calls) if len(calls) > 1 else calls[0]
    tokens_in, tokens_out, cost = cost_of(records)
    said = [line for record in records for line in record.log if isinstance(line, Said)]
    asked = [line for line in said if line.ask.seat not in records[0].protocol.checks]
    silent = [(line.reply, line.envelope.detail) for line in asked if isinstance(line.reply, Absent)]
    failed = bool(asked) and len(silent) == len(asked) and all(reply.reason in UNREACHED for reply, _ in silent)
    return ReviewCell(
        task=item.id,
        language=item.twins.language,
        kind=item.twins.kind,
        faulty=item.faulty,
        method=method.name,
        verdict=_verdict(method, records),
        score=score(item, claims),
        replies=reply_counts(records, item.diff),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost=cost,
        asks=len(asked),
        milliseconds=busy(envelope for record in records for envelope in record.envelopes),
        sessions=tuple(record.opening.session for record in records),
        failed=failed,
        detail=silent[0][1] if failed else "",
    )


def _verdict(method: ReviewMethod, records: Sequence[Record]) -> str:
    """Return the verdict of a protocol by its name, or what most of the plain calls judge."""
    if not method.calls:
        conclusion = records[0].session.conclusion
        return NO_VERDICT if conclusion is None else conclusion.verdict.name
    judged = voted([concluded(record) for record in records])
    return judged.judgement.name if isinstance(judged, Judged) else NO_VERDICT


def counted_cells(
    cells: Iterable[ReviewCell], items: Iterable[ChangeItem], methods: Iterable[Method]
) -> list[ReviewCell]:
    """Return the cells of these changes and methods, in the order of both."""
    by = {(cell.task, cell.method): cell for cell in cells}
    names = [method.name for method in methods]
    found = ((item.id, name) for item in items for name in names)
    return [by[of] for of in found if of in by]
