"""Types of the roundtable: phases, steps, outcomes, verdicts, seats, settings and state."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from quorate.core.errors import SettingError
from quorate.core.forms import AtMost, Between, Key
from quorate.core.types import Seat
from quorate.core.values import value

PERSON = Seat("person")
READER = Seat("reader")
"""Reads the person's turn; held by code."""
CLERK = Seat("clerk")
"""Adds to the documents and keeps meta.json; held by code."""
CLASSIFIER = Seat("classifier")
ENSEMBLE = Seat("ensemble")
"""Speaks for every persona where they share one context."""
HELD_BY_CODE = (READER, CLERK)

USER = Key("user")
"""How the person is called where words are attributed."""
PERSONAS = ("business-analyst", "solutions-architect", "system-designer")
FEWEST_PERSONAS, MOST_PERSONAS = 2, 6
MOST_DOCUMENTS = 12
MOST_NAME = 80
"""Characters of the name of a phase or step."""

DEFAULT_TURNS = 10
LEAST_TURNS = 3
MANY_TURNS = 20
"""More turns than this are allowed, with advice (T3)."""
MOST_TURNS = 1_000
WARN_BEFORE = 2
"""Turns before the limit at which the warning is given (T16)."""
MOST_TEXTS = 3
"""Texts in a row after which the menu stops coming back (T5)."""
NUDGE_AFTER = 3
"""Utterances of personas after a silence at which the lead asks for thoughts (T18)."""
MOST_TRIES = 2
"""How often the lead is asked for a synthesis (T21)."""


class Phase(Enum):
    MENU = "menu"
    ENTRY = "entry"
    TOPIC_FRAMING = "topic_framing"
    DISCUSSION_LOOP = "discussion_loop"
    SYNTHESIS = "synthesis"
    STATE_PERSIST = "state_persist"
    LEFT = "left"
    ABORTED = "aborted"


class Step(Enum):
    """Where a phase with several steps stands."""

    FRAME = "frame"
    """The lead opens; nothing was said yet."""
    SPEAK = "speak"
    """The first of the queue has the word."""
    LISTEN = "listen"
    """The person has the word."""
    READ = "read"
    """Code reads what the person said."""
    CLASSIFY = "classify"
    """A model reads it, because code could not tell."""
    CLARIFY = "clarify"
    """The person is asked back, because neither could tell."""
    SYNTHESISE = "synthesise"
    APPEND = "append"
    RECORD = "record"
    END = "end"
    """A limit was hit before anything was said, or while it was wrapped up (T27)."""


class Outcome(Enum):
    ELABORATE = "elaborate"
    CONTINUE = "continue"
    SKIP = "skip"
    FEEDBACK = "feedback"
    INTRODUCED = "introduced"
    FRAMED = "framed"
    SPOKE = "spoke"
    PASSED = "passed"
    REDIRECTED = "redirected"
    HEARD = "heard"
    SILENT = "silent"
    READ = "read"
    UNCLEAR = "unclear"
    ASKED_BACK = "asked_back"
    EXIT_REQUESTED = "exit_requested"
    LIMIT_REACHED = "limit_reached"
    INACTIVE = "inactive"
    RETRY = "retry"
    SYNTHESISED = "synthesised"
    SUMMARISED = "summarised"
    NOTHING_TO_ADD = "nothing_to_add"
    NOTHING_SAID = "nothing_said"
    APPENDED = "appended"
    RECORDED = "recorded"
    CONCLUDED = "concluded"
    GIVEN_UP = "given_up"


class Verdict(Enum):
    CONTINUE = "continue"
    SKIP = "skip"
    ABORTED = "aborted"


# Settings


class Contexts(Enum):
    SEPARATE = "separate"
    SHARED = "shared"


class Start(Enum):
    MENU = "menu"
    ENTRY = "entry"


@value(frozen=True, slots=True)
class RoundtableSettings:
    """What a user may change about a roundtable."""

    personas: Annotated[
        tuple[str, ...], AtMost(MOST_PERSONAS), "who takes part: names of role files, two to six; the first leads"
    ] = PERSONAS
    phase: Annotated[str, "the phase of the work, such as 01-requirements: it says who leads; empty if unknown"] = ""
    step: Annotated[str, "the step that is finished, such as 01-03; empty at the end of a phase"] = ""
    documents: Annotated[
        int, Between(0, MOST_DOCUMENTS), "how many target documents there are; read from the folder"
    ] = 2
    max_turns: Annotated[
        int | None, Between(0, MOST_TURNS), "turns of one elaboration; fewer than 3, or null, is 10"
    ] = None
    contexts: Annotated[Contexts, "each persona a participant of its own, or one participant that speaks for all"] = (
        Contexts.SEPARATE
    )
    classifier: Annotated[bool, "a model reads what code cannot tell, before the person is asked back"] = True
    max_elaborations: Annotated[int, Between(1, 20), "how often the menu's E can be taken in one session"] = 5
    free_moves: Annotated[
        int, Between(1, 10), "moves in a row that cost no turn: silence, passing, redirecting, asking back"
    ] = 3
    start: Annotated[Start, "begin with the menu, or with an elaboration"] = Start.MENU
    max_episodes: Annotated[int | None, Between(1, 100_000), "the most replies from models; then it wraps up"] = None
    stall_after: Annotated[int | None, Between(1, 1_000), "model replies in a row without a word; then it wraps up"] = (
        None
    )

    def __post_init__(self) -> None:
        for name, written in (("phase", self.phase), ("step", self.step)):
            if len(written) > MOST_NAME or not written.isprintable():
                raise SettingError(
                    f"is {written[:80]!r}", key=name, expected=f"a line of at most {MOST_NAME} characters"
                )
        if not FEWEST_PERSONAS <= len(self.personas) <= MOST_PERSONAS:
            raise SettingError(
                f"has {len(self.personas)} persona(s)", key="personas", expected="two to six names of role files"
            )
        if twice := {name for name in self.personas if self.personas.count(name) > 1}:
            raise SettingError(f"names {min(twice)!r} twice", key="personas", expected="each persona once")
        if taken := {name for name in self.personas if is_taken(name)}:
            raise SettingError(f"names {min(taken)!r}, which is reserved", key="personas", expected="role files")

    @property
    def turns(self) -> int:
        """The turn limit that holds (T3)."""
        return turn_limit(self.max_turns)

    @property
    def at_phase_boundary(self) -> bool:
        return not self.step


def turn_limit(written: object) -> int:
    """Return the turn limit that follows from what somebody wrote: a whole number from 3 on, otherwise 10 (T3)."""
    usable = isinstance(written, int) and not isinstance(written, bool) and LEAST_TURNS <= written <= MOST_TURNS
    return written if usable and isinstance(written, int) else DEFAULT_TURNS


def is_taken(name: str) -> bool:
    """Whether a name is a seat, the user or a document already, so that no persona can have it."""
    numbered = name[:1] == "D" and name[1:].isdigit()
    return numbered or name in (*HELD_BY_CODE, PERSON, CLASSIFIER, ENSEMBLE, USER)


def document_keys(count: int) -> tuple[Key, ...]:
    """The keys of the target documents, in their order: D1, D2, and so on."""
    return tuple(Key(f"D{number}") for number in range(1, count + 1))


# State


@value(frozen=True, slots=True)
class State:
    """What decisions need to know. All but the first five fields are about the elaboration under way."""

    elaborations: int = 0
    """How often E was taken."""
    texts: int = 0
    """Texts at the menu in a row (T5)."""
    skipped: bool = False
    missing: bool = False
    """A persona or the synthesis was missing (T25)."""
    unkept: bool = False
    """A document or meta.json could not be written (T25)."""
    leaving: bool = False
    """After this elaboration the session ends, whatever the menu would say (T26, T27)."""
    turn: int = 0
    step: Step = Step.SPEAK
    queue: tuple[Seat, ...] = ()
    """Which personas have the word next, in order."""
    addressed: bool = False
    """The first of the queue was addressed and answers (T11)."""
    group: bool = False
    """All of the queue were addressed (T12)."""
    free: int = 0
    """Moves in a row that cost no turn (T17)."""
    spoken: tuple[Key, ...] = ()
    """Who has said something, in the order of the seats, the user last (T22)."""
    tries: int = 0
    """How often the lead was asked for the synthesis in vain (T21)."""
    mechanical: bool = False
    """A limit was hit: no model may be asked any more, and a second one ends it (T27)."""
    targets: tuple[Key, ...] = ()
    """The documents that something is added to (T23)."""
