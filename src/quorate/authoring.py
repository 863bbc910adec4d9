"""All that the author of a protocol needs, in one module: `from quorate import authoring as q`.

The rules are a `Protocol` (`draft` makes a small one), a `Definition` offers them, a `World` is what they read, hold
and write, a `Lab` how they are attacked, and a `CommandEntry` the command that they bring. Modules move; these names
stay. They are imported when they are first used, so that importing this costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quorate.api.addition import add_once
    from quorate.api.creation import open_session
    from quorate.api.order import OpenedSession, Order
    from quorate.api.session_end import Written
    from quorate.api.sessions import Result
    from quorate.api.world import CheckedFile, Held, World
    from quorate.cli.commands import CommandEntry
    from quorate.cli.group import Command
    from quorate.cli.run import run_session, session_options
    from quorate.core.decisions import Decision, Fact, Test, choose, compare, otherwise
    from quorate.core.errors import (
        DefinitionError,
        InputError,
        QuorateError,
        RuleViolation,
        SettingError,
        nearest,
    )
    from quorate.core.forms import (
        AtMost,
        Between,
        Key,
        Keyed,
        OrElse,
        Prose,
        Quotes,
        Refers,
        Reply,
        is_blank,
        mark,
        mark_in_material,
        occurs_in,
    )
    from quorate.core.protocol import (
        Blindness,
        Degradation,
        Domain,
        Interrupt,
        Invariant,
        Limits,
        Moment,
        Node,
        Protocol,
        When,
    )
    from quorate.core.record import Asked, Envelope, Moved, Opening, Record, Said
    from quorate.core.tally import Denominator, Tally, TallyResult, Threshold, Vote, tally
    from quorate.core.types import Absent, AbsentReason, Ask, Question, Reason, Replies, Seat
    from quorate.core.view import Section, View
    from quorate.files.named_file import text_of
    from quorate.kit.board import ArtifactCard, Board, Criterion, Dated, FindingCard, TopicCard, Utterance, title_of
    from quorate.kit.definition import Definition
    from quorate.kit.drafts import BLIND, NoSettings, came_to, define, draft, shown, told
    from quorate.kit.fates import Fate
    from quorate.kit.findings import Finding, Severity
    from quorate.kit.form_domains import every
    from quorate.kit.gauges import Gauge, arrived, counter
    from quorate.kit.ground import is_grounded
    from quorate.kit.inputs import QUESTION, Input, Kind, Shortcut
    from quorate.kit.interpretation import Interpretation
    from quorate.kit.judgement import Judging, Mind, Opinion, Truth
    from quorate.kit.line_keys import numbered
    from quorate.kit.offers import Offer
    from quorate.kit.positions import Position
    from quorate.kit.reply_text import filled_in, worded
    from quorate.kit.schedule import Either, Turn
    from quorate.kit.settings import Later, plain, read_settings
    from quorate.kit.tolerance import Margin, NoVote
    from quorate.lab.lab import Lab
    from quorate.lab.redteam.broken import Broken, Guarantee
    from quorate.lab.redteam.case_run import Observed
    from quorate.lab.redteam.material import Matter
    from quorate.participants.check import Check
    from quorate.participants.function import FunctionParticipant
    from quorate.participants.port import Answer, Participant, Request
    from quorate.python.proof import prove
    from quorate.safety.masks import Masks
    from quorate.safety.secrets import secrets_in_text, without_secrets
    from quorate.workspace import Workspace

_ROOMS = {
    "api.addition": ("add_once",),
    "api.creation": ("open_session",),
    "api.session_end": ("Written",),
    "files.named_file": ("text_of",),
    "api.order": ("OpenedSession", "Order"),
    "api.sessions": ("Result",),
    "api.world": ("CheckedFile", "Held", "World"),
    "cli.commands": ("CommandEntry",),
    "cli.group": ("Command",),
    "cli.run": ("run_session", "session_options"),
    "kit.board": (
        *("ArtifactCard", "Board", "Criterion", "Dated", "FindingCard", "TopicCard", "Utterance"),
        "title_of",
    ),
    "kit.inputs": ("Input", "Kind", "QUESTION", "Shortcut"),
    "core.decisions": ("Decision", "Fact", "Test", "choose", "compare", "otherwise"),
    "kit.definition": ("Definition",),
    "kit.drafts": ("BLIND", "NoSettings", "came_to", "define", "draft", "shown", "told"),
    "core.errors": ("DefinitionError", "InputError", "QuorateError", "RuleViolation", "SettingError", "nearest"),
    "kit.form_domains": ("every",),
    "kit.fates": ("Fate",),
    "kit.findings": ("Finding", "Severity"),
    "core.forms": (
        *("AtMost", "Between", "Key", "Keyed", "OrElse", "Prose", "Quotes", "Refers", "Reply"),
        *("is_blank", "mark", "mark_in_material", "occurs_in"),
    ),
    "kit.gauges": ("Gauge", "arrived", "counter"),
    "kit.ground": ("is_grounded",),
    "kit.line_keys": ("numbered",),
    "kit.interpretation": ("Interpretation",),
    "kit.judgement": ("Judging", "Mind", "Opinion", "Truth"),
    "kit.offers": ("Offer",),
    "kit.positions": ("Position",),
    "core.protocol": (
        *("Blindness", "Degradation", "Domain", "Interrupt", "Invariant", "Limits", "Moment", "Node"),
        *("Protocol", "When"),
    ),
    "core.record": ("Asked", "Envelope", "Moved", "Opening", "Record", "Said"),
    "kit.schedule": ("Either", "Turn"),
    "kit.settings": ("Later", "plain", "read_settings"),
    "core.tally": ("Denominator", "Tally", "TallyResult", "Threshold", "Vote", "tally"),
    "kit.tolerance": ("Margin", "NoVote"),
    "core.types": ("Absent", "AbsentReason", "Ask", "Question", "Reason", "Replies", "Seat"),
    "core.view": ("Section", "View"),
    "kit.reply_text": ("filled_in", "worded"),
    "participants.check": ("Check",),
    "safety.masks": ("Masks",),
    "safety.secrets": ("secrets_in_text", "without_secrets"),
    "participants.function": ("FunctionParticipant",),
    "participants.port": ("Answer", "Participant", "Request"),
    "python.proof": ("prove",),
    "lab.redteam.broken": ("Broken", "Guarantee"),
    "lab.lab": ("Lab",),
    "lab.redteam.material": ("Matter",),
    "lab.redteam.case_run": ("Observed",),
    "workspace": ("Workspace",),
}
"""Where each name is at home."""

__all__ = [
    "BLIND",
    "QUESTION",
    "Absent",
    "AbsentReason",
    "Answer",
    "ArtifactCard",
    "Ask",
    "Asked",
    "AtMost",
    "Between",
    "Blindness",
    "Board",
    "Broken",
    "Check",
    "CheckedFile",
    "Command",
    "CommandEntry",
    "Criterion",
    "Dated",
    "Decision",
    "Definition",
    "DefinitionError",
    "Degradation",
    "Denominator",
    "Domain",
    "Either",
    "Envelope",
    "Fact",
    "Fate",
    "Finding",
    "FindingCard",
    "FunctionParticipant",
    "Gauge",
    "Guarantee",
    "Held",
    "Input",
    "InputError",
    "Interpretation",
    "Interrupt",
    "Invariant",
    "Judging",
    "Key",
    "Keyed",
    "Kind",
    "Lab",
    "Later",
    "Limits",
    "Margin",
    "Masks",
    "Matter",
    "Mind",
    "Moment",
    "Moved",
    "NoSettings",
    "NoVote",
    "Node",
    "Observed",
    "Offer",
    "OpenedSession",
    "Opening",
    "Opinion",
    "OrElse",
    "Order",
    "Participant",
    "Position",
    "Prose",
    "Protocol",
    "Question",
    "QuorateError",
    "Quotes",
    "Reason",
    "Record",
    "Refers",
    "Replies",
    "Reply",
    "Request",
    "Result",
    "RuleViolation",
    "Said",
    "Seat",
    "Section",
    "SettingError",
    "Severity",
    "Shortcut",
    "Tally",
    "TallyResult",
    "Test",
    "Threshold",
    "TopicCard",
    "Truth",
    "Turn",
    "Utterance",
    "View",
    "Vote",
    "When",
    "Workspace",
    "World",
    "Written",
    "add_once",
    "arrived",
    "came_to",
    "choose",
    "compare",
    "counter",
    "define",
    "draft",
    "every",
    "filled_in",
    "is_blank",
    "is_grounded",
    "mark",
    "mark_in_material",
    "nearest",
    "numbered",
    "occurs_in",
    "open_session",
    "otherwise",
    "plain",
    "prove",
    "read_settings",
    "run_session",
    "secrets_in_text",
    "session_options",
    "shown",
    "tally",
    "text_of",
    "title_of",
    "told",
    "without_secrets",
    "worded",
]

if not TYPE_CHECKING:  # so that a name which is not there stays an error for a type checker

    def __getattr__(name: str) -> object:
        from quorate.lazy_names import lazily

        for room, names in _ROOMS.items():
            if name in names:
                globals()[name] = found = lazily("quorate", {name: room})(name)
                return found
        raise AttributeError(f"module 'quorate.authoring' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
