"""The council of three reviewers with drawn lenses, gates and a quorum on an RFC and its tickets (seed 004).

Start with RULES.md. In rules/: taxonomy.py and model.py (the data), forms.py (what seats fill in), lenses.py (the
draw), merges.py, answers.py and votes.py (how findings, answers and votes are counted), protocol.py (the phases and
the transition table), conclusion.py (the verdict), views.py (who sees what). invariants.py states what `verify` proves
of every move. history.py and material.py read a record, and result/ derives the result of a session from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.protocols.council.definition import DEFINITION as DEFINITION
    from quorate.protocols.council.definition import build as build
    from quorate.protocols.council.rules.lenses import draw_modes as draw_modes

# Whoever needs a noun of this room need not load all of it.
__getattr__ = lazily(__name__, {"DEFINITION": "definition", "build": "definition", "draw_modes": "rules.lenses"})
