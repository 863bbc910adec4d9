"""The structured debate with a judge: agents propose, criticise and refine; a judge synthesises (seed 003).

Read RULES.md, then in rules/: model.py (the nouns), protocol.py (the verbs and the table), views.py (who sees what),
invariants.py (what holds at every move; verify proves it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.protocols.debate.definition import DEFINITION as DEFINITION
    from quorate.protocols.debate.definition import build as build

# Whoever needs a noun of this room need not load all of it.
__getattr__ = lazily(__name__, {"DEFINITION": "definition", "build": "definition"})
