"""Reading a project's house rules for reviews from `quorate.rules.yaml`.

A rule has an id, a severity, the paths it is about, a message, perhaps a class of veto, and exactly one demand:

- `pattern`: no added line may match this regular expression;
- `most_lines`: a file has no more lines than this;
- `must_contain`: for each of these regular expressions the file has a line that matches;
- `most_matches`: no more than `count` lines of a file match `pattern`;
- `forbidden: true`: no such file may be there;
- `beside`: a file of this name lies in the same folder;
- `command`: this program, an argument list, ends with 0; each line `path:line: message` that it prints is a finding.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.kit.findings import Severity
from quorate.protocols.review.world.change.globs import is_glob, matches

NAME = "quorate.rules.yaml"
BASE = "{base}"
"""In a command: the folder with the project as it was before the change."""
VETOES = (
    "rule violation",
    "hard-coded secret",
    "security hole",
    "circular dependency",
    "undocumented public contract",
)
DEMANDS = ("pattern", "most_lines", "must_contain", "most_matches", "forbidden", "beside", "command")
KEYS = ("id", "severity", "paths", "message", "veto", *DEMANDS, "timeout")
MOST_RULES, MOST_PATTERNS, MOST_PATTERN, MOST_ARGUMENTS = 200, 20, 500, 50
SECONDS, MOST_SECONDS = 60, 600
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|deno|bun|ruby|perl|php|bash|sh|zsh|dash|pwsh)")
_RUNNERS = frozenset(
    {
        "make",
        "npm",
        "npx",
        "yarn",
        "pnpm",
        "bunx",
        "tox",
        "nox",
        "pytest",
        "cargo",
        "go",
        "gradle",
        "mvn",
        "ant",
        "rake",
    }
    | {"bundle", "composer", "just", "task", "pre-commit", "uv", "poetry", "hatch", "pip", "env", "sudo", "xargs"}
)
"""Programs that run what a project says: the project is the change here, and is never run."""


@dataclass(frozen=True, slots=True)
class MustNotContain:
    pattern: str


@dataclass(frozen=True, slots=True)
class MostLines:
    count: int


@dataclass(frozen=True, slots=True)
class MustContain:
    patterns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MostMatches:
    pattern: str
    count: int


@dataclass(frozen=True, slots=True)
class Forbidden:
    pass


@dataclass(frozen=True, slots=True)
class Beside:
    name: str


@dataclass(frozen=True, slots=True)
class Command:
    arguments: tuple[str, ...]
    seconds: int = SECONDS


Demand = MustNotContain | MostLines | MustContain | MostMatches | Forbidden | Beside | Command


@dataclass(frozen=True, slots=True)
class HouseRule:
    id: str
    severity: Severity
    paths: tuple[str, ...]
    message: str
    demand: Demand
    veto: str = ""

    def concerns(self, path: str) -> bool:
        return matches(self.paths, path)


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The rules of a project, in the order of the file."""

    rules: tuple[HouseRule, ...] = ()
    note: str = ""
    """Why there are none, or which are meant, where that needs to be said."""
    refused: tuple[str, ...] = ()
    """Ids of rules whose commands may not run on behalf of whoever asks."""


def load_rules(source: Path | str, name: str | None = None) -> HouseRules:
    """Read rules from a file (Path) or a text (str, called `name` in errors); raises InputError on a mistake."""
    entries = load(source, name).mapping(("rules",))
    if "rules" not in entries:
        raise InputError("is missing", file=name or str(source)[:200], key="rules", expected="a list of rules")
    listed = entries["rules"].items()
    if len(listed) > MOST_RULES:
        raise entries["rules"].error(f"has {len(listed)} rules", f"at most {MOST_RULES}")
    rules: list[HouseRule] = []
    for each in listed:
        rule = _rule(each)
        if any(rule.id == other.id for other in rules):
            raise each.error(f"the id {rule.id!r} is used twice", "a different id for each rule")
        rules.append(rule)
    return HouseRules(tuple(rules))


def _rule(entry: Located) -> HouseRule:
    fields = entry.mapping(KEYS)
    for key in ("id", "severity", "paths", "message"):
        if key not in fields:
            raise entry.error(
                f"has no {key}", f"a rule with id, severity, paths, message and one of {', '.join(DEMANDS)}"
            )
    name = fields["id"].text()
    if not _ID.fullmatch(name):
        raise fields["id"].wrong("an id of lowercase letters, digits and hyphens, at most 60 characters")
    message = fields["message"].text()
    if not message.strip() or len(message) > 1_000:
        raise fields["message"].wrong("a message of 1 to 1,000 characters")
    return HouseRule(
        id=name,
        severity=Severity(fields["severity"].choice([each.value for each in Severity], "severity")),
        paths=_paths(fields["paths"]),
        message=" ".join(message.split()),
        demand=_demand(entry, fields),
        veto=fields["veto"].choice(VETOES, "class of veto") if "veto" in fields else "",
    )


def _paths(entry: Located) -> tuple[str, ...]:
    every = entry.items() if isinstance(entry.value, tuple) else (entry,)
    for each in every:
        if not is_glob(each.text()):
            raise each.wrong("a glob such as src/**/*.py, without backslashes")
    globs = tuple(each.text() for each in every)
    if not 0 < len(globs) <= 50 or all(glob.startswith("!") for glob in globs):
        raise entry.error("selects no files, or has too many globs", "1 to 50 globs, at least one of them without !")
    return globs


def _demand(entry: Located, fields: Any) -> Demand:
    named = [key for key in DEMANDS if key in fields]
    if len(named) != 1:
        what = "has no demand" if not named else f"has {' and '.join(named)} together"
        raise entry.error(what, f"exactly one of {', '.join(DEMANDS)}")
    value: Located = fields[named[0]]
    if "timeout" in fields and named[0] != "command":
        raise fields["timeout"].error("is only for a rule with a command", "no timeout, or a command")
    match named[0]:
        case "pattern":
            return MustNotContain(_regex(value))
        case "most_lines":
            return MostLines(value.whole(1, 1_000_000))
        case "must_contain":
            return MustContain(_regexes(value))
        case "most_matches":
            inner = value.mapping(("pattern", "count"))
            if len(inner) != 2:
                raise value.error("is incomplete", "a mapping with pattern and count")
            return MostMatches(_regex(inner["pattern"]), inner["count"].whole(0, 1_000_000))
        case "forbidden" if value.flag():
            return Forbidden()
        case "forbidden":
            raise value.wrong("true")
        case "beside":
            return Beside(_file_name(value))
        case _:
            seconds = fields["timeout"].whole(1, MOST_SECONDS) if "timeout" in fields else SECONDS
            return Command(_command(value), seconds)


def _file_name(entry: Located) -> str:
    name = entry.text()
    if not name or "/" in name or len(name) > 200:
        raise entry.wrong("the name of a file, without folders")
    return name


def _regexes(entry: Located) -> tuple[str, ...]:
    if not 0 < len(entry.items()) <= MOST_PATTERNS:
        raise entry.wrong(f"a list of 1 to {MOST_PATTERNS} regular expressions")
    return tuple(_regex(each) for each in entry.items())


def _regex(entry: Located) -> str:
    text = entry.text("a regular expression")
    if not text or len(text) > MOST_PATTERN:
        raise entry.wrong(f"a regular expression of at most {MOST_PATTERN} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise entry.error(f"is not a valid regular expression: {error}", "one that Python's re module reads") from error
    return text


def _command(entry: Located) -> tuple[str, ...]:
    """Return the argument list; raises InputError if it would execute files of the change."""
    words = tuple(each.text("a text") for each in entry.items())
    if not 0 < len(words) <= MOST_ARGUMENTS or not words[0] or any("\0" in word or len(word) > 1_000 for word in words):
        raise entry.wrong(f"a list of 1 to {MOST_ARGUMENTS} arguments, the program first")
    program = words[0]
    name = PurePosixPath(program).name
    if "/" in program and not program.startswith((f"{BASE}/", "/")):
        raise entry.error(f"runs {program!r}, which the change may alter", f"{BASE}/{program}, from before the change")
    if name in _RUNNERS:
        raise entry.error(f"{name!r} runs commands that the change may alter", "a program that only reads files")
    if _INTERPRETERS.fullmatch(name):
        script = next((word for word in words[1:] if not word.startswith("-")), "")
        if script and not script.startswith((f"{BASE}/", "/")) and not {"-m", "-c", "-e"} & set(words):
            raise entry.error(
                f"runs {script!r}, which the change may alter", f"{BASE}/{script}, from before the change"
            )
    return words


def rules_schema() -> dict[str, Any]:
    """Return a JSON Schema of rules files, for editors."""
    regex = {"type": "string", "format": "regex", "minLength": 1, "maxLength": MOST_PATTERN}
    glob = {"type": "string", "minLength": 1, "maxLength": 300}
    demands: dict[str, Any] = {
        "pattern": {**regex, "description": "no added line may match"},
        "most_lines": {"type": "integer", "minimum": 1, "description": "lines of a file, at most"},
        "must_contain": {"type": "array", "items": regex, "minItems": 1, "maxItems": MOST_PATTERNS},
        "most_matches": {
            "type": "object",
            "properties": {"pattern": regex, "count": {"type": "integer", "minimum": 0}},
            "required": ["pattern", "count"],
            "additionalProperties": False,
        },
        "forbidden": {"const": True, "description": "no such file may be there"},
        "beside": {"type": "string", "description": "the name of a file that lies in the same folder"},
        "command": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": MOST_ARGUMENTS},
    }
    rule = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": f"^{_ID.pattern}$"},
            "severity": {"enum": [each.value for each in Severity]},
            "paths": {"anyOf": [glob, {"type": "array", "items": glob, "minItems": 1, "maxItems": 50}]},
            "message": {"type": "string", "minLength": 1, "maxLength": 1_000},
            "veto": {"enum": list(VETOES)},
            **demands,
            "timeout": {"type": "integer", "minimum": 1, "maximum": MOST_SECONDS},
        },
        "required": ["id", "severity", "paths", "message"],
        "oneOf": [{"required": [key]} for key in DEMANDS],
        "dependentRequired": {"timeout": ["command"]},
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "House rules: what a project demands of its changes",
        "type": "object",
        "properties": {"rules": {"type": "array", "items": rule, "maxItems": MOST_RULES}},
        "required": ["rules"],
        "additionalProperties": False,
    }
