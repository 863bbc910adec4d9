"""Mask secrets in replies before they are written to the journal.

A person who amends a change has the files at hand, and a patch made with `git diff` quotes what the committee was only
shown masked. The masks are those of the material, so that code can put the secrets back to apply the patch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from quorate import catalog
from quorate.api.world import own_run, world_of
from quorate.codec import reply_from_data, reply_to_data
from quorate.core.errors import InputError
from quorate.core.form_values import with_marks
from quorate.core.forms import Reply
from quorate.core.record import Opening, Record
from quorate.core.types import Ask
from quorate.safety.environment import given_secrets
from quorate.safety.masks import Masks
from quorate.safety.secrets import MASK, each_text, secrets_in_text, without_secrets


def masked_material(material: Mapping[str, str]) -> dict[str, str]:
    """Return texts with secrets masked, also those that the protocol's opener left unmasked."""
    return {name: without_secrets(text) for name, text in material.items()}


def cleaning(record: Record) -> Callable[[Ask, Reply], Reply]:
    """Return a function that masks secrets in replies: a reply may join parts that the material keeps apart."""

    def clean(ask: Ask, reply: Reply) -> Reply:
        if ask.seat in record.protocol.checks:
            return reply  # the checks mask by themselves, with numbers that patches refer to
        data, given = reply_to_data(reply), given_secrets()
        masked = each_text(data, lambda text: without_secrets(text, given))
        return reply if masked == data else with_marks(reply_from_data(type(reply), masked))

    return clean


def cleaning_text(_: Record) -> Callable[[str], str]:
    """Return a function that masks secrets in error details, which may quote a reply."""
    return lambda text: without_secrets(text) if text else text


def masked_answer(opening: Opening, data: Any) -> Any:
    """Return an answer with all known secrets masked."""
    if not isinstance(data, Mapping):
        return data
    known = _masks(opening)
    if known is None:
        return each_text(data, without_secrets)

    def masked(text: str) -> str:
        # What was masked without a number has no value to put back, and stays as it is.
        return MASK.join(map(numbered, text.split(MASK)))

    def numbered(text: str) -> str:
        # Masks that the person was shown are put back first, or they would be escaped as if they were ordinary text.
        with suppress(InputError):
            text = known.unmask(text)
        return without_secrets(known.extended(secrets_in_text(text)).mask(text))

    return each_text(data, masked)


def _masks(opening: Opening) -> Masks | None:
    """Return the masks of the material; if it is gone, secrets are still recognised by format."""
    read = world_of(catalog.definition_of(opening)).masks
    if read is None:
        return None
    try:
        return read(own_run(opening.protocol, opening.run))
    except InputError:
        return Masks(())
