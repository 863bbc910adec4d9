"""Calibration: T14 of the facts, and the parts of the Brier score."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import SettingError
from quorate.simulate.calibration import Brier, brier, expected_calibration_error, reliability_table
from tests.support.examples import few

SEVEN_OF_TEN = [True] * 7 + [False] * 3
confidences = st.sampled_from([F(0), F(1, 10), F(1, 3), F(1, 2), F(3, 5), F(9, 10), F(1)])
forecasts = st.lists(st.tuples(confidences, st.booleans()), min_size=1, max_size=12)


def saying(confidence: str) -> Brier:
    found = brier([(F(confidence), right) for right in SEVEN_OF_TEN])
    assert found is not None
    return found


def test_t14_overconfidence_is_no_better_than_knowing_nothing() -> None:
    assert saying("0.9").score == F("0.25") == saying("0.5").score
    assert saying("0.7").score == F("0.21")
    assert saying("0.9").reliability == F("0.04") == saying("0.9").score - saying("0.7").score
    assert saying("0.7").reliability == 0
    assert saying("0.9").resolution == 0
    assert saying("0.9").uncertainty == F("0.21")


@few
@given(forecasts)
def test_the_parts_make_up_the_score_exactly(said: list[tuple[F, bool]]) -> None:
    found = brier(said)
    assert found is not None
    assert found.score == found.reliability - found.resolution + found.uncertainty
    assert found.score == sum(((confidence - right) ** 2 for confidence, right in said), start=F(0)) / len(said)
    assert min(found.reliability, found.resolution, found.uncertainty) >= 0


@few
@given(forecasts, st.integers(1, 12))
def test_every_forecast_is_in_the_row_that_says_so(said: list[tuple[F, bool]], bins: int) -> None:
    table = reliability_table(said, bins)
    assert sum(row.items for row in table) == len(said)
    for row in table:
        inside = [(c, right) for c, right in said if row.low <= c < row.high or c == row.high == 1]
        assert len(inside) == row.items > 0
        assert row.right == sum(right for _, right in inside)
        assert row.said == sum((c for c, _ in inside), start=F(0)) / len(inside)
        low, high = row.interval()
        assert low <= row.share <= high


def test_reliability_table_and_its_mean_gap() -> None:
    table = reliability_table([(F("0.9"), right) for right in SEVEN_OF_TEN] + [(F(1), True)] * 10, bins=10)
    (only,) = table
    assert (only.low, only.high, only.items, only.right, only.said) == (F("0.9"), F(1), 20, 17, F("0.95"))
    assert expected_calibration_error(table) == F("0.1")
    assert expected_calibration_error(()) is None


def test_nothing_said_is_nothing_known_and_nonsense_is_refused() -> None:
    assert brier([]) is None
    assert reliability_table([]) == ()
    with pytest.raises(SettingError):
        brier([(F(2), True)])
    with pytest.raises(SettingError):
        reliability_table([(F(1, 2), True)], bins=0)
