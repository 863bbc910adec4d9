"""What people read of the first round: what each seat alone would have held, and whether one would have done."""

from __future__ import annotations

from dataclasses import replace

from quorate.worth.first_round import Alone, FirstRound


def test_what_each_alone_would_have_held() -> None:
    seats = {"a": (True, 80), "b": (False, 120), "c": (None, 10), "d": (False, 200)}
    alone = tuple(Alone(seat, "", holds, tokens) for seat, (holds, tokens) in seats.items())
    whole = FirstRound(alone, None, "REQUEST_CHANGES", False, 410, 1000, "it is good", "it is not")
    _, each, enough = whole.sentences
    assert (
        each == "Alone, b and d would have held that it is not, as the session did; a that it is good; c took no side."
    )
    assert (
        enough
        == "2 of the 4 alone would have concluded as the session did; their replies took 12 to 20 % of the tokens each."
    )
    _, each, enough = replace(whole, verdict="APPROVED", side=True).sentences
    assert each.startswith("Alone, a would have held that it is good, as the session did; b and d that it is not;")
    assert enough == "1 of the 4 alone would have concluded as the session did; its reply took 8 % of the tokens."
    _, each, enough = replace(whole, alone=alone[1:], verdict="APPROVED", side=True).sentences
    assert each == "Alone, b and d would have held that it is not; c took no side."
    assert enough == "None of the 3 alone would have concluded as the session did."
    *_, enough = replace(whole, alone=(alone[1], alone[3]), of=0).sentences
    assert enough == "Each of the 2 alone would have concluded as the session did."
    _, each = replace(whole, alone=alone[:1]).sentences
    assert each == "Alone, a would have held that it is good."
