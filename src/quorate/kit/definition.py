"""Protocol definitions: what the catalog needs to build a protocol from settings, briefs and a seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.record import Record
from quorate.kit.board import Board
from quorate.kit.fates import Fates
from quorate.kit.findings import Finding
from quorate.kit.gauges import Gauge
from quorate.kit.inputs import QUESTION, TEXTS, Input, Shortcut
from quorate.kit.judgement import Judging
from quorate.kit.offers import Offer
from quorate.kit.positions import Position
from quorate.kit.schedule import Scheduling
from quorate.kit.tolerance import Stated


class WorldBase:
    """Base class of `quorate.api.world.World`, so that a definition can hold one without importing its room."""


class LabBase:
    """Base class of `quorate.lab.lab.Lab`, so that a definition can hold one without importing its room."""


@dataclass(frozen=True)
class Definition:
    """A protocol as a package offers it, by an entry point of the group `quorate.protocols`."""

    name: str
    title: str
    settings: type[Any]
    build: Callable[[Any, Mapping[str, str], int], Protocol[Any]]
    """build(settings, briefs, seed): pure; `briefs` are the prompt files by name, the user's own included."""
    package: str
    """The package whose `briefs/` folder, RULES.md and templates belong to the protocol."""
    result: Callable[[Record], Mapping[str, Any]]
    """What a session came to so far, as plain data, for programs."""
    show: Callable[[Mapping[str, Any]], str]
    """The same as Markdown, for people."""
    findings: Callable[[Record], tuple[Finding, ...]] | None = None
    """All findings that a session leaves open, the worst first; None for a protocol that makes none.

    Beside them a comment and a test report show what `result` has of these: warnings, grounds, checks, committee,
    tallies, log and receipt, as those of the review.
    """
    fates: Fates | None = None
    """What became of everything that was said or brought; None for a protocol that does not say."""
    entries_rule: str = "the form"
    """The rule by which an entry of a list that does not fit is refused, cut or kept elsewhere."""
    owes: Callable[[Record], str] = lambda _: ""
    """What has to be done before the verdict is true of what was brought; empty for nothing.

    While something is owed a session does not end with the exit code of success.
    """
    brings: tuple[Input, ...] = (QUESTION,)
    """What a session is opened with; a text is material of that name, unless the protocol has a way of its own."""
    examines: bool = False
    """Whether its own checks report, as findings, what in the material speaks to whoever deliberates about it."""
    schedule: Scheduling | None = None
    """The most that a session may ask, in closed form; None for a protocol whose worst case is found by a walk."""
    judging: Judging | None = None
    """How agents of known accuracy take part, for `quorate simulate`; None for a protocol that does not say."""
    positions: Callable[[Record], tuple[Position, ...]] = lambda _: ()
    """What each seat held of what, in the order in which positions were taken."""
    tolerance: Stated | None = None
    """What it states about the vote behind a verdict; None for a protocol that does not."""
    offers: Mapping[type[Reply], Offer] = field(default_factory=dict)
    """What people are told of the choices that a form gives them."""
    board: Callable[[Record], Board] = lambda _: Board()
    """What a session shows beside its transcript."""
    gauges: Callable[[Record], tuple[Gauge, ...]] = lambda _: ()
    """How close a session is to what is counted in it."""
    reports: Mapping[str, str] = field(default_factory=lambda: {"report.md": "report.md.j2"})
    """The reports it writes: file name -> template of the package. The first is the main one."""
    files: Callable[[Record], Mapping[str, str]] = lambda _: {}
    """What else a session leaves, by file name, as it is."""
    documents: Callable[[Record], Mapping[str, Mapping[str, Any]]] = lambda _: {}
    """What else a session leaves as data, by name: each is written both as JSON and as YAML."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """Its other tables beside that of the phases, by title, in Markdown: life cycles and ordered rules."""
    sample: Mapping[str, str] = field(default_factory=dict)
    """Input to start from, by file name; `quorate init` writes it."""
    world: str | WorldBase | None = None
    """What it reads, holds and writes: a `quorate.api.world.World`, or a reference to one, "package.module:NAME".

    A reference keeps the rules light: what they need is loaded without it.
    """
    lab: str | LabBase | None = None
    """How it is attacked and measured: a `quorate.lab.lab.Lab`, or a reference to one; None for none."""
    exam: str = ""
    """The folder of its package with the paper of the exam for whoever judges under it; empty for none."""
    measures: str = ""
    """The file of its package that says which closed fields are measured, and in which words; empty for none."""
    tool: str = ""
    """What a coding assistant is told of the tool that opens it; empty for none of its own."""
    shortcuts: tuple[Shortcut, ...] = ()
    """What a person may pick from the menu of a coding assistant to have a session of it opened."""
    schemas: Mapping[str, str] = field(default_factory=dict)
    """JSON Schemas of its own kinds of file, by name: a file of the package, or "package.module:function"."""
    check_file: str = ""
    """Where the function stands that checks files of its own kind, whoever wrote them: path -> finding, or None."""
    tokens: int | None = None
    """The most tokens of a session where the settings name no limit; None is no limit."""
    amended: str = "as amended; the amendment"
    """What a verdict that owes something was given on, and what has to be done: "... is not applied yet"."""
    earlier: Mapping[str, str] = field(default_factory=dict)
    """Definitions of its earlier versions, each "package.module:NAME", by version.

    Sessions that began under one of them are read by its rules, and can no longer be resumed.
    """
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: {"default": {}})
    """Named settings under which `verify` proves the protocol."""
    material: Mapping[str, str] = field(default_factory=dict)
    """What `verify` lets the views find as the material of a session, by name: texts such as a real session has.

    A protocol whose views take a text apart has to give one that they can. Where nothing is given, every text that it
    brings is a sentence.
    """

    def proven_with(self) -> Mapping[str, str]:
        """Return the material that `verify` uses for the protocol."""
        return self.material or {each.name: "The matter in question." for each in self.brings if each.kind in TEXTS}
