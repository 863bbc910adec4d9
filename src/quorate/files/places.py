"""Classify a file by its path: its language, and whether it is source, a test, or documentation."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from posixpath import basename, splitext

from quorate.core.errors import InputError
from quorate.kit.change import Change

PYTHON = frozenset({".py"})
SCRIPTS = frozenset({".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts"})
"""TypeScript and JavaScript."""
TYPED = frozenset({".ts", ".tsx", ".mts", ".cts"})
_OTHER_SOURCE = re.compile(
    r"\.(?:c|cc|clj|cpp|cs|cxx|dart|ex|exs|erl|f90|go|gd|groovy|h|hh|hpp|hs|java|jl|kt|kts|lua|m|ml|mm|nim|php|pl|pm"
    r"|ps1|pyx|r|rb|rs|sc|scala|sh|sol|sql|svelte|swift|v|vb|vue|zig)"
)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|fixtures|e2e|cypress)/", re.IGNORECASE)
_TEST_NAME = re.compile(r"^(?:test_.*|conftest\.py|tests\.py|.*(?:_test|_spec|\.test|\.spec|\.cy)\.\w+|.*Tests?\.\w+)$")
_DOCUMENT = re.compile(r"(?:^|/)(?:docs?|documentation|adr|rfcs?)/|\.(?:md|markdown|rst|adoc|mdx)$", re.IGNORECASE)
_CHANGELOG = re.compile(r"^(?:changelog|changes|history|news|upgrading|migrat\w*)(?:\.\w+)?$", re.IGNORECASE)


def extension(path: str) -> str:
    return splitext(basename(path))[1].lower()


def is_python(path: str) -> bool:
    return extension(path) in PYTHON


def is_script(path: str) -> bool:
    """Whether it is TypeScript or JavaScript code; declaration files are not."""
    return extension(path) in SCRIPTS and not re.search(r"\.d\.[mc]?ts$", path)


def is_code(path: str) -> bool:
    """Whether it is code in any known language, tests included."""
    return extension(path) in PYTHON | SCRIPTS or bool(_OTHER_SOURCE.fullmatch(extension(path)))


def is_test(path: str) -> bool:
    return bool(_TEST_FOLDER.search(path) or _TEST_NAME.match(basename(path)))


def is_document(path: str) -> bool:
    return bool(_DOCUMENT.search(path) or _CHANGELOG.match(basename(path)))


def is_source(path: str) -> bool:
    """Whether it is code of the product itself, not of its tests."""
    return is_code(path) and not is_test(path)


def kinds(paths: Iterable[str]) -> str:
    """List the file extensions of some paths, the most frequent first, such as `.go, .rs`."""
    counts = Counter(extension(path) or basename(path)[:40] for path in paths)
    return listed([name for name, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0]))])


def listed(names: list[str], most: int = 5) -> str:
    """Join names for a sentence: a, b, c and 4 more."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def disputed(path: str) -> InputError:
    """Return the error for a diff that alters review configuration which HEAD may already contain."""
    return InputError(
        f"the diff changes {path}, but the last commit may contain that change already, so it is unclear "
        "which version is the project's",
        expected="the branch or the commit to review, or a checkout without the changes of the diff",
    )


def place_of(change: Change, path: Path) -> str | None:
    """Return the path of a file within the repository; None if it is outside."""
    if not change.root:
        return None
    try:
        return path.resolve().relative_to(Path(change.root).resolve()).as_posix()
    except ValueError:
        return None
