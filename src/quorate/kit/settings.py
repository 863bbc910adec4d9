"""Settings: what a user may change, declared as frozen dataclasses and read strictly.

A field is an `int` with `Between`, a `bool`, an `Enum`, a `str`, `int | str`, a tuple of strings, one of these or None,
or another settings dataclass. `Annotated[type, bound, "what it does"]` carries bounds and documentation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from types import NoneType
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from quorate.core.errors import DefinitionError, SettingError, nearest
from quorate.core.forms import AtMost, Between

D = TypeVar("D")
UNQUALIFIED_SEATS = "unqualified_seats"
"""The setting in which a session keeps the seats whose words are notes, under protocols that have it."""
MOST_TOLD, MOST_LISTED = 200, 20
"""Characters and entries of a wrong value that an error quotes."""


@dataclass(frozen=True, slots=True)
class Later:
    """Marks a setting that came after sessions had begun: while it has its default, it is left out of what pins them.

    Without it a new setting would change the digest of the rules, and no session from before could be read. What its
    default does has to be what the rules did without it.
    """


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, as documentation, editors and the command line see it."""

    key: str
    type: Any
    default: Any
    says: str
    bounds: Between | None
    most: int | None


def describe(settings: type[Any], prefix: str = "") -> tuple[Setting, ...]:
    """List every setting of a settings class, nested ones by their dotted key."""
    found: list[Setting] = []
    hints = _HINTS[settings]
    for each in fields(settings):
        hint = hints[each.name]
        notes: list[Any] = []
        if get_origin(hint) is Annotated:
            hint, *notes = get_args(hint)
        if isinstance(hint, type) and is_dataclass(hint):
            found += describe(hint, f"{prefix}{each.name}.")
            continue
        if each.default is MISSING:
            raise DefinitionError(f"setting {prefix}{each.name} has no default")
        says = next((note for note in notes if isinstance(note, str)), "")
        bounds = next((note for note in notes if isinstance(note, Between)), None)
        most = next((note.count for note in notes if isinstance(note, AtMost)), None)
        found.append(Setting(prefix + each.name, hint, each.default, says, bounds, most))
    return tuple(found)


def read_settings(settings: type[D], values: Mapping[str, Any], prefix: str = "") -> D:
    """Build the settings from plain values; an unknown key, wrong kind or value out of bounds raises SettingError."""
    own = {setting.key: setting for setting in describe(settings)}
    hints = _HINTS[settings]
    names = [each.name for each in fields(settings)]  # type: ignore[arg-type]
    given: dict[str, Any] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        if name not in names:
            raise SettingError(
                "unknown setting",
                key=key,
                expected="one of " + ", ".join(names),
                nearest=nearest(str(name), names),
            )
        group = _inner(hints[name])
        if group is not None:
            if not isinstance(value, Mapping):
                inner = [each.name for each in fields(group)]
                raise SettingError(f"is {_told(value)}", key=key, expected="a mapping with " + ", ".join(inner))
            given[name] = read_settings(group, value, f"{key}.")
        else:
            given[name] = _value(own[name], value, key)
    return settings(**given)


class _Hints(dict[type[Any], Mapping[str, Any]]):
    """A cache of the annotations of settings classes."""

    def __missing__(self, settings: type[Any]) -> Mapping[str, Any]:
        self[settings] = hints = get_type_hints(settings, include_extras=True)
        return hints


_HINTS = _Hints()


def _inner(hint: Any) -> type[Any] | None:
    """Return the settings class of a nested group; None for a plain setting."""
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return kind if isinstance(kind, type) and is_dataclass(kind) else None


def _value(setting: Setting, value: Any, key: str) -> Any:
    kind = setting.type
    if NoneType in get_args(kind):
        if value is None:
            return None
        kind = next(arg for arg in get_args(kind) if arg is not NoneType)
    if kind is bool and isinstance(value, bool):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        bounds = setting.bounds
        if bounds is None or bounds.low <= value <= bounds.high:
            return value
    if kind is str and isinstance(value, str):
        return value
    if kind == int | str and isinstance(value, int | str) and not isinstance(value, bool):
        return value  # a text of digits is a number in YAML and in `--set`
    if get_origin(kind) is tuple and isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
        if setting.most is None or len(value) <= setting.most:
            return tuple(value)
    choices: list[str] = []
    if isinstance(kind, type) and issubclass(kind, Enum):
        choices = [member.value for member in kind]
        if value in choices:
            return kind(value)
    near = nearest(value[:MOST_TOLD], choices) if isinstance(value, str) else None
    such = f" such as {setting.default}" if kind is str and setting.default else ""  # a share is a text like 2/3
    raise SettingError(f"is {_told(value)}", key=key, expected=f"{expectation(setting)}{such}", nearest=near)


def _told(value: Any) -> str:
    """Describe a value briefly, for an error."""
    if isinstance(value, list | tuple | Mapping) and len(value) > MOST_LISTED:
        return f"a {'mapping' if isinstance(value, Mapping) else 'list'} of {len(value):,}"
    try:
        words = repr(value[: MOST_TOLD + 1] if isinstance(value, str) else value)
    except ValueError:  # Python writes no number of thousands of digits
        return "an enormous number"
    return words if len(words) <= MOST_TOLD else f"{words[:MOST_TOLD]}…"


def expectation(setting: Setting) -> str:
    """Describe the values that a setting takes."""
    kind, bounds = setting.type, setting.bounds
    optional = NoneType in get_args(kind)
    if optional:
        kind = next(arg for arg in get_args(kind) if arg is not NoneType)
    if kind is bool:
        words = "true or false"
    elif kind is int:
        words = "a whole number" if bounds is None else f"a whole number from {bounds.low} to {bounds.high}"
    elif kind is str:
        words = "a text"
    elif kind == int | str:
        words = "a whole number or a text"
    elif get_origin(kind) is tuple:
        words = "a list of names" + (f", at most {setting.most}" if setting.most is not None else "")
    elif isinstance(kind, type) and issubclass(kind, Enum):
        words = "one of " + ", ".join(member.value for member in kind)
    else:
        raise DefinitionError(f"setting {setting.key}: {kind!r} is not a type that settings support")
    return f"{words}, or null" if optional else words


def plain(settings: Any) -> dict[str, Any]:
    """Return the settings as plain JSON values, every default spelled out but those of later settings."""
    values = {each: getattr(settings, each.name) for each in fields(settings)}
    hints = _HINTS[type(settings)]
    return {
        each.name: _plain(value)
        for each, value in values.items()
        if not (value == each.default and any(isinstance(note, Later) for note in get_args(hints[each.name])[1:]))
    }


def in_full(settings: Any) -> dict[str, Any]:
    """Return the settings as plain JSON values to show them: every default is spelled out."""
    values = {each.name: getattr(settings, each.name) for each in fields(settings)}
    return {name: in_full(value) if is_dataclass(value) else _plain(value) for name, value in values.items()}


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return plain(value)
    if isinstance(value, Enum):
        return value.value
    return list(value) if isinstance(value, tuple) else value


def schema(settings: type[Any]) -> dict[str, Any]:
    """Return a JSON Schema of the settings, for editors."""
    properties: dict[str, Any] = {}
    hints = _HINTS[settings]
    own = {setting.key: setting for setting in describe(settings)}
    for each in fields(settings):
        group = _inner(hints[each.name])
        properties[each.name] = schema(group) if group is not None else _schema(own[each.name])
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _schema(setting: Setting) -> dict[str, Any]:
    kind = setting.type
    optional = NoneType in get_args(kind)
    if optional:
        kind = next(arg for arg in get_args(kind) if arg is not NoneType)
    found: dict[str, Any]
    if kind is bool:
        found = {"type": "boolean"}
    elif kind is int:
        found = {"type": "integer"}
        if setting.bounds is not None:
            found |= {"minimum": setting.bounds.low, "maximum": setting.bounds.high}
    elif kind is str:
        found = {"type": "string"}
    elif kind == int | str:
        found = {"type": ["integer", "string"]}
    elif get_origin(kind) is tuple:
        found = {"type": "array", "items": {"type": "string"}}
        if setting.most is not None:
            found["maxItems"] = setting.most
    else:
        found = {"enum": [member.value for member in kind]}
    if optional:
        found = {"anyOf": [found, {"type": "null"}]}
    return found | {"description": setting.says, "default": _plain(setting.default)}
