"""Cells: one method on one task, kept in a JSON-lines file so that finished cells are never run again.

The first line says what was planned; each other line is one JSON object with one key: `begun` (a session was opened for
a cell), `dropped` (the budget of the run ended it) or `done` (the cell). Lines are only ever added.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from quorate.core.errors import InputError, SettingError
from quorate.kit.strict_json import strict_json
from quorate.lab.bench.task import Answer, Grade, Kind, plain, read_answer

FORMAT = "quorate-bench/1"
BEGINNING = b'{"format": '
"""What the first line begins with."""
NAME = "cells.jsonl"
MOST_BYTES = 500_000_000
MOST_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class Cell:
    """The answer of one method to one task, and its cost."""

    task: str
    kind: Kind
    method: str
    answer: Answer | None
    """None where there was no usable answer: not right, and counted apart."""
    grade: Grade
    tokens_in: int
    tokens_out: int
    cost: int | None
    """Millionths of a US dollar; None where a price is not known."""
    asks: int
    absent: int
    sessions: tuple[str, ...]
    verdict: str
    protocol: str = "baseline"
    first_right: bool | None = None
    """Whether the answer before the second look was right; None where there is only one."""
    samples: int = 1
    matched: int | None = None
    """The tokens that the samples were allowed to cost; None where nothing was matched."""
    failed: bool = False
    """Nobody could be reached, so it is run again when the run is resumed."""
    detail: str = ""
    """Why nobody could be reached, in the words of whoever was called."""

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def right(self) -> bool:
        return self.grade.right

    def data(self) -> dict[str, Any]:
        """Return the cell as plain data."""
        names = ("tokens_in", "tokens_out", "cost", "asks", "absent", "verdict", "protocol", "first_right", "samples")
        kept = {name: getattr(self, name) for name in (*names, "matched", "failed", "detail")}
        return {
            "task": self.task,
            "kind": self.kind.value,
            "method": self.method,
            "answer": plain(self.answer),
            **asdict(self.grade),
            **kept,
            "sessions": list(self.sessions),
        }


GRADES = ("right", "hits", "misses", "false", "kinds")


def read_cell(data: Mapping[str, Any]) -> Cell:
    """The inverse of `Cell.data`; KeyError, TypeError or ValueError for invalid data."""
    rest = {name: value for name, value in data.items() if name not in (*GRADES, "kind", "answer", "sessions")}
    return Cell(
        kind=Kind(data["kind"]),
        answer=read_answer(data["answer"]),
        grade=Grade(**{name: data[name] for name in GRADES}),
        sessions=tuple(data["sessions"]),
        **rest,
    )


class Costed(Protocol):
    """What every kind of cell says of itself."""

    @property
    def task(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def failed(self) -> bool: ...
    def data(self) -> dict[str, Any]: ...


C = TypeVar("C", bound=Costed)


@dataclass
class Cells(Generic[C]):
    """The cells of a run, in memory and on disk."""

    path: Path
    plan: dict[str, Any]
    """What has to be the same for cells to be compared: the seed and who sat at the table."""
    read: Callable[[Mapping[str, Any]], C]
    """The inverse of the cells' own `data`; KeyError, TypeError or ValueError for anything else."""
    done: dict[tuple[str, str], C] = field(default_factory=dict)
    begun: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Sessions of cells that are not finished, in order."""
    spent: int = 0
    """Tokens of all cells, and of those that the budget ended."""
    _of: dict[str, dict[str, C]] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, plan: dict[str, Any], read: Callable[[Mapping[str, Any]], C]) -> Cells[C]:
        """Open or create the file of a folder; SettingError if it was begun with another plan.

        A file that holds nothing but a plan is begun anew, so that a wrong setting can be corrected.
        """
        found = cls(folder / NAME, plan, read)
        lines = list(found._lines()) if found.path.exists() else []
        if len(lines) > 1:
            found._read(lines)
        else:
            found._read(lines, compared=False)
            found.path.unlink(missing_ok=True)
            found._write({"format": FORMAT, "plan": plan})
        return found

    def of(self, task: str) -> list[C]:
        """Return the finished cells of a task, one per method."""
        return list(self._of.get(task, {}).values())

    def begin(self, task: str, method: str, session: str) -> None:
        self.begun.setdefault((task, method), []).append(session)
        self._write({"begun": {"task": task, "method": method, "session": session}})

    def drop(self, task: str, method: str, tokens: int) -> None:
        self.begun.pop((task, method), None)
        self.spent += tokens
        self._write({"dropped": {"task": task, "method": method, "tokens": tokens}})

    def finish(self, cell: C) -> None:
        self._keep(cell)
        self._write({"done": cell.data()})

    def _keep(self, cell: C) -> None:
        self.begun.pop((cell.task, cell.method), None)
        self.spent += cell.tokens
        self.done[cell.task, cell.method] = cell
        self._of.setdefault(cell.task, {})[cell.method] = cell

    def _again(self, cell: C) -> None:
        """Keep a cell that was read; one in which no model was reachable keeps its cost and is run again."""
        if cell.failed:
            self.begun.pop((cell.task, cell.method), None)
            self.spent += cell.tokens
        else:
            self._keep(cell)

    def _write(self, line: Mapping[str, Any]) -> None:
        """Append a line and sync it to disk before returning."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self, lines: Iterable[tuple[int, str]], *, compared: bool = True) -> None:
        for number, line in lines:
            try:
                self._take(strict_json(line), number, compared)
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(
                    "is not a line of a bench",
                    file=str(self.path),
                    line=number,
                    expected="one that `quorate bench` wrote",
                ) from error

    def _lines(self) -> Iterator[tuple[int, str]]:
        if self.path.stat().st_size > MOST_BYTES:
            raise InputError("is too large", file=str(self.path), expected=f"at most {MOST_BYTES:,} bytes")
        data = self.path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if not whole and data[: len(BEGINNING)] != BEGINNING[: len(data)]:
            raise InputError("is not a bench file", file=str(self.path), expected="one that `quorate bench` wrote")
        if whole < len(data):  # a crash tore the last line, and nothing was built upon it
            with self.path.open("r+b") as file:
                file.truncate(whole)
        try:
            text = data[:whole].decode("utf-8")
        except UnicodeDecodeError as error:
            raise InputError("is not UTF-8 text", file=str(self.path), expected="lines of JSON") from error
        for number, line in enumerate(text.split("\n")[:-1], start=1):
            if len(line) > MOST_LINE:
                raise InputError("is too long", file=str(self.path), line=number, expected=f"at most {MOST_LINE:,}")
            yield number, line

    def _take(self, data: dict[str, Any], number: int, compared: bool) -> None:
        if number == 1:
            if data["format"] != FORMAT:
                raise InputError("has another format", file=str(self.path), line=1, expected=FORMAT)
            if compared:
                self._compare(data["plan"])
            return
        ((what, told),) = data.items()
        of = (str(told["task"]), str(told["method"]))
        match what:
            case "begun":
                self.begun.setdefault(of, []).append(str(told["session"]))
            case "dropped":
                self.begun.pop(of, None)
                self.spent += int(told["tokens"])
            case "done":
                self._again(self.read(told))
            case _:
                raise ValueError(what)

    def _compare(self, before: Mapping[str, Any]) -> None:
        for key, value in self.plan.items():
            if before.get(key) != value:
                raise SettingError(
                    f"is {value!r}, but the run in {self.path.parent} was started with {before.get(key)!r}",
                    key=key,
                    expected="the same, or another folder",
                )
