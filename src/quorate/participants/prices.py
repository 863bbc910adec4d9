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

    def of(self, tokens_in: int, tokens_out: int) -> int:
        """Return the price of a call in millionths of a US dollar, rounded up."""
        return ceil(round(tokens_in * self.tokens_in + tokens_out * self.tokens_out, 6))


def read_price(node: Located) -> Price:
    """Read `{in: 2.5, out: 10}`, in US dollars per million tokens; both keys are required."""
    given = node.mapping(("in", "out"))
    if len(given) < 2:
        raise node.error("is not a complete price", "both `in` and `out`, in US dollars for a million tokens")
    return Price(given["in"].number(0, 1_000_000), given["out"].number(0, 1_000_000))


def listed_price(provider: str, model: str, tokens_in: int, tokens_out: int) -> int | None:
    """Return the price of a call from genai-prices; None if the model is unknown or the package is not installed."""
    try:
        from genai_prices import Usage, calc_price
    except ImportError:
        return None
    try:
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        found = calc_price(usage, model, provider_id=provider)
    except (LookupError, ValueError):
        return None
    return ceil(found.total_price * 1_000_000)


PRICE_SCHEMA = {
    "type": "object",
    "description": "US dollars for a million tokens",
    "properties": {"in": {"type": "number", "minimum": 0}, "out": {"type": "number", "minimum": 0}},
    "required": ["in", "out"],
    "additionalProperties": False,
}
