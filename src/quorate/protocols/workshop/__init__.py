"""The facilitator-led workshop: rounds on an agenda make artifacts, and documents are made of those (seed 002).

Read RULES.md, then in rules/: lives.py (the life cycles), taxonomy.py, settings.py and model.py (the nouns), forms.py,
items.py and synthesis.py (what seats fill in), strategies.py and workflows/ (what a workshop goes by), next_action.py
(the ordered rule), focus.py, agreement.py, synthesis_effects.py and closure.py (what code makes of replies),
protocol.py (the verbs and the table), views.py (who sees what). history.py, artifacts.py, rounds.py and result.py read
a record; rules/documents/ makes the documents that a session leaves, audit/ its session file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.protocols.workshop.definition import DEFINITION as DEFINITION
    from quorate.protocols.workshop.definition import build as build

# Whoever needs a noun of this room need not load all of it.
__getattr__ = lazily(__name__, {"DEFINITION": "definition", "build": "definition"})
