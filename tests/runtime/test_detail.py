"""What the record tells beside a reply may quote it, and holds no secret either."""

from __future__ import annotations

from quorate.core.form_values import LONGEST_SAID, Unfit
from quorate.core.types import Absent, AbsentReason
from quorate.participants.check import Check
from quorate.participants.port import Answer
from quorate.runtime.asks import cleaned, envelope_of
from tests.support.drawn_secrets import drawn


def test_a_secret_that_a_refused_entry_quotes_is_masked() -> None:
    token = "ghp_" + drawn(36)
    absent = Absent(AbsentReason.MALFORMED)
    words = f"findings[0].place: is '{token}'; expected one of F0, F1"
    unfit = Unfit("findings[0]", "refused", words, "said " * 55 + token)
    answer = Answer(absent, "model", detail=words, unfit=(unfit,))
    told = cleaned(envelope_of(answer, Check(lambda _: absent, "model"), 0.5, ()), lambda text: text)
    assert token[:12] not in str(told), "it is masked before it is shortened"
    assert told.detail.startswith("findings[0].place: is ")
    assert told.unfit[0].said.startswith("said said")
    assert len(told.unfit[0].said) <= LONGEST_SAID
