"""Price of a call in millionths of a US dollar, from the user's own price or from an offline table."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from quorate.files.located_values import Located


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, which equals millionths of a dollar per token."""

    tokens_in: float
    tokens_out: float
    cached: float | None = None
    """Of an input token that the provider read from its cache; None for the same as any other."""

    def of(self, tokens_in: int, tokens_out: int, tokens_cached: int = 0) -> int:
        """Return the price of a call in millionths of a US dollar, rounded up; cached tokens are among those in."""
        cached = self.tokens_in if self.cached is None else self.cached
        price = (tokens_in - tokens_cached) * self.tokens_in + tokens_cached * cached + tokens_out * self.tokens_out
        return ceil(round(price, 6))


def read_price(node: Located) -> Price:
    """Read `{in: 2.5, out: 10}`, in US dollars per million tokens; both keys are required, and `cached` may follow."""
    given = node.mapping(("in", "out", "cached"))
    if not {"in", "out"} <= given.keys():
        raise node.error("is not a complete price", "both `in` and `out`, in US dollars for a million tokens")
    price = {name: each.number(0, 1_000_000) for name, each in given.items()}
    return Price(price["in"], price["out"], price.get("cached"))


def listed_price(
    provider: str, model: str, tokens_in: int, tokens_out: int, *, tokens_cached: int = 0, tokens_written: int = 0
) -> int | None:
    """Return the price of a call from genai-prices; None if the model is unknown or the package is not installed.

    Of the tokens in, some were read from the provider's cache and some written to it, at prices of their own.
    """
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    try:
        usage = Usage(
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            cache_read_tokens=tokens_cached,
            cache_write_tokens=tokens_written,
        )
        found = calc_price(usage, model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    return ceil(found.total_price * 1_000_000)


PRICE_SCHEMA = {
    "type": "object",
    "description": "US dollars for a million tokens",
    "properties": {name: {"type": "number", "minimum": 0} for name in ("in", "out", "cached")},
    "required": ["in", "out"],
    "additionalProperties": False,
}
