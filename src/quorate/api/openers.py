"""Default opener, for protocols without one of their own: texts and files become the material."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quorate.api.creation import MOST_MATERIAL
from quorate.api.inputs import PREFIX
from quorate.api.order import OpenedSession, Order
from quorate.core.errors import InputError
from quorate.files.named_file import text_of
from quorate.kit.definition import Definition
from quorate.kit.inputs import Kind
from quorate.kit.settings import describe

CONTEXT = "context"
"""The folder that participants may read."""


async def open_plainly(order: Order) -> OpenedSession:
    """Open a session whose texts, lines and files are material; folder `context` is readable; the rest are settings."""
    material: dict[str, str] = {}
    settings: dict[str, Any] = {}
    for each in order.definition.brings:
        value = order.inputs.get(each.name)
        if value is None:
            continue
        if each.kind in (Kind.TEXT, Kind.LINE):
            material[each.name] = value
        elif each.kind is Kind.FILE:
            material[each.name] = text_of(value, MOST_MATERIAL, "a text file")
        elif each.kind is not Kind.FOLDER or each.name != CONTEXT:
            settings[each.name] = list(value) if isinstance(value, tuple) else value
    _check_settings(order.definition, settings)
    if not material:
        texts = ", ".join(each.name for each in order.definition.brings if each.kind is Kind.TEXT)
        raise InputError("have no text to deliberate about", key="inputs", expected=f"a text: {texts}")
    return await order.begin(material, settings=settings, context=order.folder(CONTEXT))


def _check_settings(definition: Definition, names: Mapping[str, Any]) -> None:
    known = {setting.key for setting in describe(definition.settings)}
    for name in names:
        if name not in known:
            raise InputError(
                f"protocol {definition.name} declares this input, but has no setting of that name",
                key=PREFIX + name,
                expected="a text, a file, the folder `context`, a name of its settings, or a World with `open`",
            )
