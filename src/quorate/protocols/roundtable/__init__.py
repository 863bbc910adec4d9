"""The roundtable: personas and a person elaborate on a topic, and documents grow by what came of it (seed 001).

Read RULES.md, then in rules/: model.py (the nouns), personas.py (the cast), forms.py (what seats fill in), talk.py (the
steps of the discussion), turn_reader.py and farewell.py (what the person's words mean, and whether there are any
beside an exit), harvest.py (what a synthesis comes to), protocol.py (the verbs and the table), interrupts.py, views.py
(who sees what), invariants.py (what holds at every move; verify proves it). matter.py, transcript.py and
elaborations.py read a record, open_disputes.py what nobody has decided; job.py and result.py say what came of it,
attribution.py that no text passes for an attribution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.protocols.roundtable.definition import DEFINITION as DEFINITION
    from quorate.protocols.roundtable.definition import build as build

# Whoever needs a noun of this room need not load all of it.
__getattr__ = lazily(__name__, {"DEFINITION": "definition", "build": "definition"})
