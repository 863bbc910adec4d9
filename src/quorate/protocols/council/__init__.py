"""The council of three reviewers with drawn lenses, gates and a quorum on an RFC and its tickets (seed 004).

Read RULES.md, then in rules/: taxonomy.py and model.py (the nouns), forms.py (what seats fill in), lenses.py (the
draw), merges.py, answers.py and votes.py (what findings, answers and votes come to), protocol.py (the verbs and the
table), conclusion.py (the verdict), views.py (who sees what). invariants.py, promises.py, recount.py, retally.py,
redraw.py and sheet.py say the rules a second time, for the proof; history.py and material.py read a record, and
rules/result/ says what a session came to.
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
