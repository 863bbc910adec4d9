"""Who sees what in a review: pure functions of the record, one for each brief (R6, R31 to R33).

What is common to all seats comes first and stays the same between calls, so that providers can cache it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest

from quorate.core.draw import shuffled
from quorate.core.protocol import Blindness
from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Cut, Section, View, fit
from quorate.protocols.review.counting import holds_veto
from quorate.protocols.review.model import (
    BUSINESS_DRIVER,
    CHAIR,
    CHECKS,
    PROPOSER,
    SKEPTIC,
    Ballot,
    Compromise,
    Examination,
    FixItem,
    Mediation,
    State,
    Tabling,
    item_keys,
    persona_of,
    veto_keys,
)
from quorate.protocols.review.protocol import Review
from quorate.protocols.review.under_review import ballots, claims, patches_offered, under_review

OFFICE_ROLES = {CHAIR: "roles/chair", SKEPTIC: "roles/skeptic", PROPOSER: "roles/proposer"}
NO_CLAIM = dict.fromkeys(("id", "scope", "claim", "observable", "expected"), "not known")
MOST_SHOWN = 60
"""Findings of the checks that a view lists; the rest are counted."""


class Views:
    """The views of one review; an instance is its protocol's `view` function."""

    def __init__(self, review: Review) -> None:
        self.review = review
        self._by_brief: dict[str, Callable[[Record, Ask], Iterator[Section]]] = {
            "examine": self._examine,
            "apply": self._apply,
            "table": lambda record, _: self._change(record),
            "ballot": self._ballot,
            "judge": self._judge,
            "amend": self._amend,
            "compromise": self._compromise,
            "mediate": self._mediate,
            "doubt": self._doubt,
            "agree": self._agree,
        }

    def __call__(self, record: Record, ask: Ask) -> View:
        return self.with_receipt(record, ask)[0]

    def with_receipt(self, record: Record, ask: Ask) -> tuple[View, tuple[Cut, ...]]:
        """Return the view, cut to `persona_tokens`, and what was cut (R33)."""
        sections = tuple(self._by_brief[ask.brief](record, ask))
        if ask.seat == CHECKS:
            return View("", sections), ()
        sections = tuple(section if section.material else self._nameless(section, ask.seat) for section in sections)
        role = OFFICE_ROLES.get(ask.seat) or f"roles/{persona_of(ask.seat)}"
        return fit(View(role, sections), self.review.settings.persona_tokens)

    def _nameless(self, section: Section, reader: Seat) -> Section:
        """Take out the names of other members, which a member may have written into its own words (R31)."""
        others = [re.escape(name) for name in self.review.settings.members if name != reader]
        if not others:
            return section
        named = re.compile(rf"(?<![\w-])(?:{'|'.join(others)})(?![\w-])", re.IGNORECASE)
        return replace(section, title=named.sub("a member", section.title), text=named.sub("a member", section.text))

    # The checks are shown what they work on, and nothing is cut.

    def _examine(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Checks", record.material.get("checks", ""))

    def _apply(self, record: Record, ask: Ask) -> Iterator[Section]:
        for number, patch in enumerate(patches_offered(record), start=1):
            yield Section(f"Patch {number}", patch)

    # What everybody is shown

    def _change(self, record: Record) -> Iterator[Section]:
        """The files, what the checks found, the tabling, and the diff: files without findings are cut first."""
        now = under_review(record)
        examination = now.examination
        paths = {str(file["path"]): str(file["key"]) for file in now.files()}
        touched = {reported.path.text for reported in examination.findings} if examination is not None else set()
        yield Section("Files under review, by key", "\n".join(now.listed(record.session.state.files)), cut=3)
        yield Section("What the deterministic checks proved", _proved(examination, paths), cut=2)
        for file, patch in zip(now.files(), now.patches, strict=False):
            cut = 4 if file["path"] in touched else 6
            yield Section(f"{file['key']} {file['path']}", patch, cut=cut, material=True)

    def _tabled(self, record: Record) -> Iterator[Section]:
        if (said := record.latest(CHAIR, "table")) is not None:
            assert isinstance(said.reply, Tabling)
            asked = "".join(f"\n- {question}" for question in said.reply.questions)
            yield Section("The chair tables the change", f"{said.reply.summary}{asked}", cut=5)

    # Ballots

    def label(self, round_: int, seat: Seat) -> str:
        """What a member is called in a round, by everybody: a letter drawn from the seed (R31)."""
        drawn = shuffled([str(name) for name in self.review.settings.members], self.review.seed, "position", round_)
        return f"position {chr(ord('A') + drawn.index(str(seat)))}"

    def _ballot(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._tabled(record)
        counts = "counts" if holds_veto(self.review.settings, ask.seat) else "counts as OPPOSE with a critical item"
        yield Section("Your veto", f"A VETO of yours {counts}.", data=False)
        if state.round == 1:
            return
        before = state.round - 1
        yield from self._positions(record, before, ask.seat)
        yield from self._mediated(record, before)
        yield from self._offered(record, before, ask.seat)

    def _positions(self, record: Record, round_: int, reader: Seat | None = None) -> Iterator[Section]:
        given = ballots(record, round_)
        for seat in sorted(given, key=lambda seat: self.label(round_, seat)):
            label = self.label(round_, seat)
            title = f"Your own ballot of round {round_} ({label})" if seat == reader else f"Round {round_}, {label}"
            yield Section(title, told(given[seat]), cut=5)

    def _mediated(self, record: Record, round_: int) -> Iterator[Section]:
        for said in record.in_round("mediate", round_):
            assert isinstance(said.reply, Mediation)
            yield Section("The chair mediates", f"{said.reply.positions}\n\n{said.reply.questions}", cut=5)

    def _offered(self, record: Record, round_: int, reader: Seat | None = None) -> Iterator[Section]:
        state: State = record.session.state
        for said in record.in_round("compromise", round_):
            assert isinstance(said.reply, Compromise)
            yield Section("A compromise is offered", said.reply.reason.text, cut=3)
            for key, offer in said.reply.offers.items():
                mine = reader is not None and veto_keys(state).get(key) == reader
                whose = "your veto; SYNTHESIS or OPPOSE accepts it" if mine else "a veto"
                text = (
                    f"{offer.proposed_action.value} within {offer.timeline_days} days, owner: {offer.debt_owner}\n"
                    f"Accepted when: {offer.acceptance_criteria}\nCost of delay: {offer.cod_evidence}"
                )
                yield Section(f"Offer on {key} ({whose})", text, cut=1)

    def _judge(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._change(record)
        for key, claim in zip_longest(ask.keys, claims(record)[: len(ask.keys)], fillvalue=NO_CLAIM):
            text = f"{claim['claim']}\nObservable: {claim['observable']}\nExpected: {claim['expected']}"
            yield Section(f"Claim {key}: {claim['id']}, scope {claim['scope']}", text, cut=1)

    # Out of a veto

    def _vetoes(self, record: Record) -> Iterator[Section]:
        state: State = record.session.state
        for key, seat in veto_keys(state).items():
            vetoes = [s.reply for s in record.said(seat, "ballot") if isinstance(s.reply, Ballot)]
            last = next((b for b in reversed(vetoes) if b.stance.value == "veto"), None)
            if last is not None:
                yield Section(f"Veto {key}: {last.veto_class.value}", f"{last.veto_evidence}\n\n{last.opinion}", cut=1)

    def _amend(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._change(record)
        yield from self._vetoes(record)

    def _compromise(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._positions(record, state.round, BUSINESS_DRIVER)
        yield from self._vetoes(record)

    def _mediate(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._positions(record, state.round)

    # Agreement

    def _doubt(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        for key, item in zip(item_keys(len(state.items)), state.items, strict=True):
            said = [
                each
                for ballot in ballots(record, state.round).values()
                for each in ballot.items
                if (each.path, each.rule) == (item.path, item.rule)
            ]
            words = "\n\n".join(described(each) for each in said) or "A member vetoed without the right to."
            yield Section(f"Item {key}: {item.rule.value} in {item.path}, {item.severity.value}", words, cut=1)

    def _agree(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._positions(record, state.round)
        listed = "\n".join(f"{item.path}: {item.rule.value}, {item.severity.value}" for item in state.items)
        yield Section("Fix items that remain", listed or "none", cut=1)


def told(ballot: Ballot) -> str:
    """A ballot in words, without its member's name."""
    items = "".join(f"\n- {described(item)}" for item in ballot.items)
    veto = f"\nVeto ({ballot.veto_class.value}): {ballot.veto_evidence}" if ballot.stance.value == "veto" else ""
    return f"{ballot.stance.name}, confidence {ballot.confidence} of 100\n{ballot.opinion}{veto}{items}"


def described(item: FixItem) -> str:
    """A fix item in words; a quotation that does not occur in the change is said to be none."""
    quoted = "" if item.quoted else " (this does not occur in the change)"
    return (
        f"{item.path} {item.rule.value}, {item.severity.value}: {item.consequence}\n"
        f"  Evidence{quoted}: {item.evidence}\n  Change: {item.action}"
    )


def _proved(examination: Examination | None, keys: Mapping[str, str]) -> str:
    if examination is None:
        return "The checks have not reported yet."
    lines = [
        f"{each.severity.value}: {each.rule} at {keys.get(each.path.text, each.path.text)}:{each.line}: {each.message}"
        + (f" [{each.evidence}]" if each.evidence.text else "")
        for each in examination.findings[:MOST_SHOWN]
    ]
    if (more := len(examination.findings) - MOST_SHOWN) > 0:
        lines.append(f"and {more} more")
    return "\n".join(lines) or "No findings."


def blindness(members: tuple[str, ...]) -> Blindness:
    """What views must hide (R31)."""
    seats = frozenset(Seat(name) for name in members)
    of_members = ("ballot", "judge")

    def hidden(ask: Ask, other: Ask) -> bool:
        same_phase = ask.id.partition(".")[0] == other.id.partition(".")[0]
        return ask.seat != other.seat and same_phase and ask.brief in of_members and other.brief in of_members

    def nameless(ask: Ask) -> frozenset[Seat]:
        return seats - {ask.seat} if ask.seat in seats or ask.seat == CHAIR else frozenset()

    return Blindness(hidden, nameless)
