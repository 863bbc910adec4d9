"""Ground, with labels: ways in which models and people quote a change, and evidence that somebody made up.

Each case was labelled by reading it, not by running the matcher. None that is made up may ever be found.
"""

from __future__ import annotations

import pytest

from quorate.core.forms import Prose
from quorate.kit.ground import is_grounded

DIFF = """\
diff --git a/shop/rates.py b/shop/rates.py
--- a/shop/rates.py
+++ b/shop/rates.py
@@ -2,4 +2,12 @@
 from decimal import Decimal

-RATES = {"EUR": Decimal(1)}
+RATES = {"EUR": Decimal(1), "CHF": Decimal("0.96")}
+
+
+def rate(currency: str) -> Decimal:
+    return RATES[currency]
+
+
+def charge(client, amount, retries=3):
+    client.post("/charges", json={"amount": amount})  # the provider is not idempotent
+    value = lookup(amount)
"""
PROSE = """\
The system keeps all entries of a customer for ninety
days, and deletes them after that (GDPR, article 17).
"""

QUOTED = [
    "return RATES[currency] raises KeyError for GBP: every checkout in pounds fails",
    "return RATES[currency]  # KeyError for GBP",
    "return RATES[currency] // unknown keys",
    "return RATES[currency] → KeyError for GBP",
    "return RATES[currency] -- raises for every other currency",
    "return RATES[currency] (raises KeyError for GBP)",
    "return RATES[currency] is never reached for a customer who pays in pounds",
    "> return RATES[currency]",
    ">     return RATES[currency] raises KeyError",
    "> +    return RATES[currency]",
    "L10 return RATES[currency]",
    "L10: return RATES[currency]",
    "L10-L11 return RATES[currency]",
    "10: return RATES[currency]",
    "10:     return RATES[currency] raises KeyError for GBP",
    "10\treturn RATES[currency]",
    "   10  return RATES[currency]",
    "line 10: return RATES[currency]",
    "line 10 return RATES[currency]",
    "at line 10, return RATES[currency]",
    "shop/rates.py:10: return RATES[currency]",
    "shop/rates.py:L10: return RATES[currency]",
    "> L10: `return RATES[currency]`",
    "`return RATES[currency]`",
    "`return RATES[currency]` raises KeyError for GBP",
    "In `return RATES[currency]` nobody catches the KeyError.",
    "def rate(currency: str) -> Decimal: takes any text at all",
    'client.post("/charges", json={"amount": amount}) is sent again by every retry',
    'client.post("/charges", json={"amount": amount})  # sent again',
    "+    return RATES[currency] raises KeyError\n+    value = lookup(amount)",
    "return RATES[currency]\nThis raises KeyError for every other currency.",
    '-RATES = {"EUR": Decimal(1)} was the only one before',
    "10: def rate(currency: str) -> Decimal:\n11:     return RATES[currency]",
    "F1: return RATES[currency]",
    "F1 H1: return RATES[currency]",
    "F1, line 10: return RATES[currency]",
    "H1: return RATES[currency]",
    "shop/rates.py: return RATES[currency]",
    "shop/rates.py:\n    return RATES[currency]",
    "shop/rates.py line 10: return RATES[currency]",
    "shop/rates.py:10 - return RATES[currency]",
    "In shop/rates.py, line 10: return RATES[currency]",
    "In `shop/rates.py` at line 10: `return RATES[currency]`",
    "return RATES[currency] (line 10)",
    "return RATES[currency] (H1)",
    "return RATES[currency] (shop/rates.py:10)",
    "return RATES[currency] in shop/rates.py, line 10",
    "1. `return RATES[currency]`",
    "* return RATES[currency]",
    "**`return RATES[currency]`**",
    "```return RATES[currency]```",
    "10 +    return RATES[currency]",
    "+10: return RATES[currency]",
    "Added: return RATES[currency]",
    "The new code says: return RATES[currency], which raises KeyError",
    'client.post(\\"/charges\\", json={\\"amount\\": amount})',
    "client.post(&quot;/charges&quot;, json={&quot;amount&quot;: amount})",
    "def rate(currency: str) -> Decimal:\\n    return RATES[currency]",
]
MADE_UP = [
    "",
    "L10",
    "> ",
    "line 10:",
    "10: 11: 12:",
    "The lookup raises KeyError for GBP.",
    "> The lookup raises KeyError for GBP.",
    "L10 the rate is looked up without a default",
    "10: raise KeyError(currency)",
    "> return RATES.get(currency)",
    "L10 return RATES.get(currency, 0)",
    "return RATES[currency] or Decimal(1)",
    "return RATES[currency] * 100",
    "return RATES[currency]; os.remove(path)",
    "return RATES[currency] os.remove(path)",
    "return RATES[currency]\nos.remove(path)",
    "return RATES[currency]\nexcept KeyError: pass",
    "return RATES[currency]\nreturn the rates to everybody",
    "value = lookup(amount) or default",
    "value = lookup(amount) if amount else nothing",
    "value = lookup(amount) - discount",
    "value = lookup(amount) and cached",
    "RATES[currency] = Decimal(0) is set here",
    'RATES = {"EUR": Decimal(2)} is the wrong rate',
    'RATES = {"EUR": Decimal(1), "USD": is missing the end of it',
    "def rate(currency: str) -> float: loses the cents",
    "def rate(currency) raises KeyError for GBP",
    'client.post("/charges", json={"amount": amount}, verify=False) sends it in the clear',
    'client.post("/charges", is never awaited by anybody',
    "for attempt in range(retries): never ends",
    "`return RATES.get(currency)` hides the fault",
    "from decimal import Fraction is wrong",
    "@@ -2,4 +2,12 @@ def load(path):",
    "return it raises KeyError for GBP",
    "This raises KeyError for every other currency.\nNobody catches it.",
    "F1 H1: return RATES.get(currency)",
    "F1 H1, line 10:",
    "shop/rates.py: rates are looked up without a default",
    "shop/rates.py line 10: return RATES.get(currency)",
    "return RATES.get(currency) (shop/rates.py:10)",
    "1. `return RATES.get(currency)`",
    "Added: return RATES.get(currency)",
    "The new code says: raise KeyError(currency)",
    "charge: return RATES[currency]",
    "RATES.get(x): return RATES[currency]",
    "return RATES.get(&quot;EUR&quot;)",
    "from shop/rates.py",
]


@pytest.mark.parametrize("evidence", QUOTED)
def test_a_quotation_is_found(evidence: str) -> None:
    assert is_grounded(Prose(evidence), DIFF)


@pytest.mark.parametrize("evidence", MADE_UP)
def test_what_is_made_up_is_not(evidence: str) -> None:
    assert not is_grounded(Prose(evidence), DIFF)


@pytest.mark.parametrize(
    "evidence",
    [
        "The system keeps all entries of a customer for ninety years and never deletes them.",
        "The system keeps all entries of a customer for ninety minutes",
        "days, and deletes them after that (GDPR, article 17) unless the customer objects to it in writing",
    ],
)
def test_a_line_of_prose_with_other_words_behind_it_is_no_quotation(evidence: str) -> None:
    assert not is_grounded(Prose(evidence), PROSE)


def test_there_are_thirty_cases_of_both_kinds() -> None:
    assert min(len(set(QUOTED)), len(set(MADE_UP))) >= 30
