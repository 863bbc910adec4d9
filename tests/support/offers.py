"""Which choices the built-in protocols offer people with a form."""

from __future__ import annotations

from quorate import catalog
from quorate.core.forms import Reply
from quorate.kit.offers import Offer


def offer_of(form: type[Reply]) -> Offer | None:
    """Return the choices that a form offers; None for a form without choices."""
    return next((found.offers[form] for found in catalog.definitions().values() if form in found.offers), None)
