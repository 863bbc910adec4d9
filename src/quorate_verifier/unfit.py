"""The fates of entries that did not fit a form: one rule for every protocol, known or not.

An entry of the journal keeps, beside a reply, what of it was refused, kept at another place or cut (`unfit`); each of
these is one fate, in order, after those that the protocol's own rules give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate_verifier.reading import alike
from quorate_verifier.report import Difference, shown

Data = Mapping[str, Any]


def unlike_the_unfit(data: Data, seats: Mapping[str, str], rule: str | None) -> Iterator[Difference]:
    """Compare the last fates with the entries, words too; the rule only where it is known."""
    expected = list(_expected(data["entries"], seats))
    stated = [dict(each) for each in data.get("fates", ())]
    told = stated[len(stated) - len(expected) :] if expected else []
    if rule is not None and any(each.get("rule") != rule for each in told):
        yield Difference("/fates", "the rule of an entry that did not fit is another", rule)
    told = [{name: value for name, value in each.items() if name != "rule"} for each in told]
    if not alike(told, expected):
        yield Difference("/fates", f"it is {shown(told)}", f"{shown(expected)}, as the entries say")


def before_the_unfit(data: Data) -> Sequence[Data]:
    """Return the fates that the protocol's own rules give: those before the entries that did not fit."""
    stated: Sequence[Data] = data.get("fates", ())
    return stated[: max(0, len(stated) - sum(len(each["body"].get("unfit", ())) for each in data["entries"]))]


def _expected(entries: Sequence[Data], seats: Mapping[str, str]) -> Iterator[Data]:
    for entry in entries:
        body = entry["body"]
        for each in body.get("unfit", ()):
            yield {
                "id": f"{body['ask']} {each['at']}",
                "what": "unfit entry",
                "by": [seats[body["ask"]]],
                "said": each["said"],
                "became": f"{each['became']}: {each['why']}",
            }
