"""Comparing an exact result with a number printed to some digits."""

from __future__ import annotations

from fractions import Fraction


def rounds_to(value: Fraction | float, text: str) -> bool:
    """Whether the value, rounded to the digits of the text, is the text (a half may go either way)."""
    digits = len(text.partition(".")[2])
    return abs(Fraction(value) - Fraction(text)) <= Fraction(1, 2 * 10**digits)
