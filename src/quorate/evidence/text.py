"""Bundles as text: JSON and YAML, written so that the seal survives, read as hostile input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer, ComposerError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import SafeRepresenter

from quorate.core.errors import InputError

MOST_CHARACTERS = 200_000_000
"""A bundle that is longer is not read."""


def to_json(bundle: Mapping[str, Any]) -> str:
    """Write a bundle as JSON for people and programs."""
    return json.dumps(bundle, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_yaml(bundle: Mapping[str, Any]) -> str:
    """Write a bundle as YAML; texts of several lines stand as blocks."""
    out = StringIO()
    _yaml().dump(dict(bundle), out)
    return out.getvalue()


def from_text(text: str, file: str | None = None) -> Any:
    """Read a bundle in either format; what is no JSON or YAML raises InputError with its line."""
    text = text.removeprefix("\ufeff")
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"has {len(text)} characters", file=file, expected=f"at most {MOST_CHARACTERS}")
    try:
        if text.lstrip()[:1] == "{":
            return json.loads(text, object_pairs_hook=_no_key_twice)
        return _yaml().load(text)
    except json.JSONDecodeError as error:
        raise InputError(f"is not JSON: {error.msg}", file=file, line=error.lineno, expected="a bundle") from error
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"is not YAML: {error.problem}", file=file, line=line, expected="a bundle") from error
    except (YAMLError, ValueError, RecursionError) as error:
        raise InputError(f"cannot be read: {str(error)[:200]}", file=file, expected="a bundle") from error


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:80]!r} stands twice in one mapping")
    return made


class _Composer(Composer):
    """Refuses aliases: a bundle has none, and with them a short text can stand for an endless one."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.parser.check_event(AliasEvent):
            mark = self.parser.peek_event().start_mark
            raise ComposerError(None, None, "aliases are not read", mark)
        return super().compose_node(parent, index)


class _Representer(SafeRepresenter):
    """Writes texts of several lines as blocks where that keeps them exactly, and everything in full."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(representer: SafeRepresenter, text: str) -> ScalarNode:
    lines = text.split("\n")
    block = len(lines) > 1 and text.isascii() and all(line.isprintable() and line == line.rstrip() for line in lines)
    style = "|" if block and not text[0].isspace() else None
    return representer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Representer.add_representer(str, _represent_text)


def _yaml() -> YAML:
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer = _Composer
    yaml.Representer = _Representer
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 120
    return yaml
