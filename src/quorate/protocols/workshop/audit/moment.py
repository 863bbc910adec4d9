"""Journal times as ISO 8601 in UTC, computed without a clock or calendar module."""

from __future__ import annotations

_DAY = 86_400
_ERA = 146_097
"""Days of 400 years, after which the calendar repeats."""


def moment(milliseconds: int | None) -> str | None:
    """Return milliseconds since 1970 as `2026-01-01T12:00:00Z`, in whole seconds; None where there is no time."""
    if not milliseconds:
        return None
    days, seconds = divmod(milliseconds // 1000, _DAY)
    year, month, day = _date(days)
    hour, rest = divmod(seconds, 3600)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{rest // 60:02}:{rest % 60:02}Z"


def _date(days: int) -> tuple[int, int, int]:
    """Return the date of a day since 1970. Years start in March here, so that a leap day is the last of its year."""
    era, day = divmod(days + 719_468, _ERA)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    number = day - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return era * 400 + year + (month <= 2), month, number
