"""Reading a ticket's plan: paths, steps, examples, criteria, tests and commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.model import CodeExample, Criterion, Defect, FilePath, TestCase
from quorate.protocols.council.world.rfc.shapes import Written
from quorate.protocols.council.world.rfc.sheet import Sheet, place_of

T = TypeVar("T")

_ACTION = ("action", "description", "title", "name", "text")
_CRITERION = ("criterion", "description", "text", "statement")
_VERIFICATION = ("verification", "verification_command", "command")


def read_paths(ticket: Written, field: Field) -> tuple[FilePath, ...]:
    """Return the paths under `files_to_modify` or `files_to_create`, as written."""
    paths: list[FilePath] = []
    for entry in _entries(ticket, field, ("implementation", field.value), (field.value,)):
        node: Located | None = entry
        purpose = ""
        if isinstance(entry.value, Mapping):
            node = ticket.sheet.first(entry.value, ("path", "file"))
            if node is None:
                ticket.sheet.note(Defect.MISSING_FIELD, "an entry has no `path`", entry, field, "`path` with a text")
                continue
            why = ticket.sheet.first(entry.value, ("purpose", "changes", "description"))
            purpose = _lines(ticket.sheet, why, field)
        assert node is not None
        if isinstance(node.value, str) and node.value.strip():
            paths.append(FilePath(node.value.strip(), purpose, place_of(node)))
        else:
            ticket.sheet.wrong(node, "a path", field)
    return tuple(paths)


def read_steps(ticket: Written) -> tuple[str, ...]:
    """Return the steps, each with its action and its details."""
    steps: list[str] = []
    field, sheet = Field.STEPS, ticket.sheet
    paths = (("implementation", "implementation_steps"), ("implementation", "steps"), ("plan", "steps"))
    for entry in _entries(ticket, field, *paths, ("implementation_steps",), ("steps",)):
        if isinstance(entry.value, Mapping):
            action = sheet.first(entry.value, _ACTION)
            parts = (sheet.prose(action, field), _lines(sheet, sheet.first(entry.value, ("details",)), field))
            text = "\n".join(part for part in parts if part)
        else:
            text = sheet.prose(entry, field)
        _kept(sheet, steps, text, entry, field, "a text, or a mapping with `action`")
    return tuple(steps)


def read_examples(ticket: Written) -> tuple[CodeExample, ...]:
    examples: list[CodeExample] = []
    field, sheet = Field.EXAMPLES, ticket.sheet
    for entry in _entries(ticket, field, ("implementation", "code_examples"), ("code_examples",)):
        if isinstance(entry.value, Mapping):
            about = sheet.prose(sheet.first(entry.value, ("description", "title", "name")), field)
            code = sheet.prose(sheet.first(entry.value, ("code", "example")), field)
        else:
            about, code = "", sheet.prose(entry, field)
        example = CodeExample(about, code, place_of(entry)) if about or code else None
        _kept(sheet, examples, example, entry, field, "a mapping with `description` and `code`")
    return tuple(examples)


def read_criteria(ticket: Written) -> tuple[Criterion, ...]:
    criteria: list[Criterion] = []
    field, sheet = Field.CRITERIA, ticket.sheet
    paths = (("acceptance_criteria",), ("implementation", "acceptance_criteria"), ("definition_of_done", "criteria"))
    for entry in _entries(ticket, field, *paths):
        verification = ""
        if isinstance(entry.value, Mapping):
            text = sheet.prose(sheet.first(entry.value, _CRITERION), field)
            verification = _lines(sheet, sheet.first(entry.value, _VERIFICATION), field)
        else:
            text = sheet.prose(entry, field)
        criterion = Criterion(text, verification, place_of(entry)) if text else None
        _kept(sheet, criteria, criterion, entry, field, "a text, or a mapping with `criterion`")
    return tuple(criteria)


def read_tests(ticket: Written) -> tuple[TestCase, ...]:
    tests: list[TestCase] = []
    field, sheet = Field.TESTS, ticket.sheet
    for entry in _entries(ticket, field, ("test_requirements",), ("implementation", "test_requirements"), ("tests",)):
        name = command = ""
        if isinstance(entry.value, Mapping):
            name = sheet.prose(sheet.first(entry.value, ("test_id", "id")), field)
            about = sheet.prose(sheet.first(entry.value, ("description", "title", "name")), field)
            command = _lines(sheet, sheet.first(entry.value, ("verification_command", "command")), field)
        else:
            about = sheet.prose(entry, field)
        test = TestCase(name, about, command, place_of(entry)) if name or about or command else None
        _kept(sheet, tests, test, entry, field, "a mapping with `test_id`, `description` and `verification_command`")
    return tuple(tests)


def read_commands(ticket: Written) -> tuple[str, ...]:
    """Return the commands that verify the ticket as a whole; shape C has them in its notes."""
    commands: list[str] = []
    field, sheet = Field.TESTS, ticket.sheet
    for entry in _entries(ticket, field, ("verification_commands",), ("implementation", "verification_commands")):
        node: Located | None = entry
        if isinstance(entry.value, Mapping):
            node = sheet.first(entry.value, ("command", "verification_command"))
        _kept(sheet, commands, sheet.prose(node, field), entry, field, "a command")
    notes = ticket.one(Field.NOTES, ("notes",))
    if notes is not None and isinstance(notes.value, Mapping):
        told = _lines(sheet, notes.value.get("verification"), field)
        commands += [told] if told else []
    return tuple(commands)


def read_summary(ticket: Written) -> str:
    """Return the ticket's summary or description, or else its scope."""
    field, sheet = Field.SUMMARY, ticket.sheet
    summary = sheet.prose(ticket.one(field, ("implementation", "summary"), ("summary",), ("description",)), field)
    scope = ticket.one(Field.SCOPE, ("scope",))
    parts: list[str] = []
    if scope is not None and isinstance(scope.value, Mapping):
        for name, words in (("in_scope", "In scope"), ("out_of_scope", "Out of scope")):
            texts = [sheet.prose(each, Field.SCOPE) for each in sheet.items(scope.value.get(name), Field.SCOPE)]
            parts += [f"{words}: {'; '.join(text for text in texts if text)}"] if any(texts) else []
    elif scope is not None:
        parts = [_lines(sheet, scope, Field.SCOPE)]
    return summary or "\n".join(parts)


def read_notes(ticket: Written) -> str:
    return _lines(ticket.sheet, ticket.one(Field.NOTES, ("notes",)), Field.NOTES)


def _entries(ticket: Written, field: Field, *paths: tuple[str, ...]) -> list[Located]:
    return [entry for node in ticket.all(field, *paths) for entry in ticket.sheet.items(node, field)]


def _kept(sheet: Sheet, kept: list[T], value: T | None, entry: Located, field: Field, expected: str) -> None:
    """Keep a value; if it is None and has no flaw yet, note that the entry has the wrong shape."""
    if value:
        kept.append(value)
    elif not any(flaw.at.yaml_path.startswith(entry.key or "") for flaw in sheet.flaws):
        sheet.wrong(entry, expected, field)


def _lines(sheet: Sheet, node: Located | None, field: Field) -> str:
    """Return a text, a list as one item per line, or a mapping as `name: text` lines."""
    if node is not None and isinstance(node.value, tuple):
        return "\n".join(text for text in (sheet.prose(each, field) for each in node.value) if text)
    if node is not None and isinstance(node.value, Mapping):
        texts = ((name, _lines(sheet, each, field)) for name, each in node.value.items())
        return "\n".join(f"{name}: {text}" for name, text in texts if text)
    return sheet.prose(node, field)
