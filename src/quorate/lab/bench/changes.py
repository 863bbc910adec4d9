"""Generated Python changes of known truth: a new file of three functions, with one planted defect or none.

Every function is written twice, sound and with its defect, and differs in that alone; names and numbers are drawn. The
line of the defect is looked up in the finished file. No check proves any of them, so that seats have to find them: the
name `%` is anybody's.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from quorate.lab.bench.task import Fault, FaultKind


@dataclass(frozen=True, slots=True)
class Piece:
    """A function and its defect: the sound lines and what replaces them."""

    code: str
    sound: str
    faulty: str
    kind: FaultKind


PIECES = (
    Piece(
        '''
def find_{noun}(cursor, name):
    """Return the row of a {noun}, or None."""
    {{}}
    return cursor.fetchone()
''',
        'cursor.execute("SELECT id, name FROM {noun}s WHERE name = ?", (name,))',
        'cursor.execute("SELECT id, name FROM {noun}s WHERE name LIKE ?", (name,))',
        FaultKind.SECURITY,
    ),
    Piece(
        '''
def page_of_{noun}s(rows, number, size={size}):
    """Return the rows of a page; pages are counted from 1."""
    {{}}
    return rows[start : start + size]
''',
        "start = (number - 1) * size",
        "start = number * size",
        FaultKind.CORRECTNESS,
    ),
    Piece(
        '''
def read_{noun}_limit(path):
    """Return the limit that the file holds; a file without a number is an error of whoever wrote it."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return int(text)
    except ValueError as error:
        {{}}
''',
        'raise ValueError(f"{{path}} holds no whole number") from error',
        "return 0",
        FaultKind.ERROR_HANDLING,
    ),
    Piece(
        '''
def save_{noun}s(path, text):
    """Replace the file by the text, so that a crash leaves the old one or the new one."""
    {{}}
''',
        'draft = path.with_suffix(".new")\n    draft.write_text(text, encoding="utf-8")\n    draft.replace(path)',
        'path.unlink(missing_ok=True)\n    path.write_text(text, encoding="utf-8")',
        FaultKind.DATA_LOSS,
    ),
    Piece(
        '''
def take_{noun}s(stock, lock, count):
    """Take so many from the stock, in any number of threads; False where there are too few."""
    {{}}
''',
        "with lock:\n        if stock.left < count:\n            return False\n        stock.left -= count\n"
        "        return True",
        "if stock.left < count:\n        return False\n    with lock:\n        stock.left -= count\n"
        "        return True",
        FaultKind.CONCURRENCY,
    ),
    Piece(
        '''
def is_{noun}_due(days):
    """Say whether more than {size} days have passed."""
    {{}}
''',
        "return days > {size}",
        "return days < {size}",
        FaultKind.CORRECTNESS,
    ),
    Piece(
        '''
def add_{noun}(name, known=None):
    """Return the names with one more; the list that was handed in stays as it is."""
    {{}}
''',
        "return [*(known or ()), name]",
        "known = known if known is not None else []\n    known.append(name)\n    return known",
        FaultKind.CORRECTNESS,
    ),
    Piece(
        '''
def open_{noun}_file(folder, name):
    """Open a file of the folder, and of no other."""
    {{}}
    return path.open(encoding="utf-8")
''',
        "path = (folder / name).resolve()\n    if not path.is_relative_to(folder.resolve()):\n"
        '        raise ValueError(f"{{name}} leads out of the folder")',
        "path = (folder / name).resolve()",
        FaultKind.SECURITY,
    ),
)
NOUNS = ("order", "invoice", "ticket", "parcel", "member", "seat", "loan", "alarm")


@dataclass(frozen=True, slots=True)
class Change:
    """A new file, and its defect if it has one."""

    path: str
    text: str
    fault: Fault | None


def change(draw: Random, *, faulty: bool) -> Change:
    """Draw a change of three functions, one of them faulty if asked for."""
    noun, size = draw.choice(NOUNS), draw.choice((10, 14, 20, 25, 30, 50))
    pieces = draw.sample(PIECES, 3)
    bad = draw.choice(pieces) if faulty else None
    path = f"shop/{noun}s.py"
    text, place = f'"""All about {noun}s."""\n', 0
    for piece in pieces:
        head = "\n" + piece.code.format(noun=noun, size=size)
        body = (piece.faulty if piece is bad else piece.sound).format(noun=noun, size=size)
        if piece is bad:
            place = (text + head).partition("{}")[0].count("\n") + 1
        text += head.replace("{}", body)
    return Change(path, text, Fault(path, place, bad.kind) if bad is not None else None)


def as_diff(files: dict[str, str]) -> str:
    """Return new files as a unified diff, for a review."""
    return "".join(_new(path, text.splitlines()) for path, text in files.items())


def _new(path: str, lines: list[str]) -> str:
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"
    return f"{head}@@ -0,0 +1,{len(lines)} @@\n" + "".join(f"+{line}\n" for line in lines)
