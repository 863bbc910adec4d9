"""Who sees what in a review: pure functions of the record, one for each brief (R6, R31 to R33).

What is common to all seats comes first and is stable between calls, so that providers can cache it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest

from quorate.core.draw import shuffled
from quorate.core.forms import Prose, occurs_in
from quorate.core.protocol import Blindness
from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Cut, Section, View, common
from quorate.kit.channel import Channel
from quorate.protocols.review.version_1.rules.ballot_count import count_ballot, holds_veto
from quorate.protocols.review.version_1.rules.forms import Ballot, Compromise, FixItem, Mediation, Tabling
from quorate.protocols.review.version_1.rules.model import (
    CHAIR,
    CHECKS,
    PROPOSER,
    SKEPTIC,
    Stance,
    State,
    item_keys,
    persona_of,
    veto_keys,
)
from quorate.protocols.review.version_1.rules.protocol import Review
from quorate.protocols.review.version_1.rules.receipt import (
    UnderReview,
    ballots,
    claims,
    patches_offered,
    under_review,
)
from quorate.protocols.review.version_1.rules.sight import ABOUT, change_sections, fitted

OFFICE_ROLES = {CHAIR: "roles/chair", SKEPTIC: "roles/skeptic", PROPOSER: "roles/proposer"}
NO_CLAIM = dict.fromkeys(("id", "scope", "claim", "observable", "expected"), "not known")


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
        role = OFFICE_ROLES.get(ask.seat) or f"roles/{persona_of(ask.seat)}"
        return fitted(role, sections, self.review.settings.persona_tokens)

    def _words(self, title: str, text: str, reader: Seat, cut: int) -> Section:
        """Return a section of a member's words with the names of other members removed (R31)."""
        others = sorted((name for name in self.review.settings.members if name != reader), key=len, reverse=True)
        if others:
            named = "|".join(map(re.escape, others))
            text = re.sub(rf"(?<![\w-])(?:{named})(?![\w-])", "a member", text, flags=re.IGNORECASE)
        return Section(title, text, cut=cut)

    # The checks are shown what they work on, and nothing is cut.

    def _examine(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Checks", record.material.get("checks", ""))

    def _apply(self, record: Record, ask: Ask) -> Iterator[Section]:
        for number, patch in enumerate(patches_offered(record), start=1):
            yield Section(f"Patch {number}", patch)

    # What everybody is shown

    def _change(self, record: Record, *, framed: bool = False) -> Iterator[Section]:
        return common(change_sections(under_review(record), record.session.state.files, framed=framed))

    def _by_evidence(self, reader: Seat) -> bool:
        """Return whether a seat is shown claims and evidence of others instead of their words (R37)."""
        return self.review.settings.channel is Channel.EVIDENCE and reader in self.review.settings.members

    def _tabled(self, record: Record, reader: Seat) -> Iterator[Section]:
        if (said := record.latest(CHAIR, "table")) is not None and not self._by_evidence(reader):
            assert isinstance(said.reply, Tabling)
            asked = "".join(f"\n- {question}" for question in said.reply.questions)
            yield self._words("The chair tables the change", f"{said.reply.summary}{asked}", reader, cut=ABOUT)

    # Ballots

    def label(self, round_: int, seat: Seat) -> str:
        """Return a member's pseudonym in a round: a letter drawn from the seed, the same for all readers (R31)."""
        drawn = shuffled([str(name) for name in self.review.settings.members], self.review.seed, "position", round_)
        return f"position {chr(ord('A') + drawn.index(str(seat)))}"

    def _ballot(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._tabled(record, ask.seat)
        yield Section("How your ballot counts", self._counts(ask.seat), data=False)
        if state.round == 1:
            return
        before = state.round - 1
        yield from self._positions(record, before, ask.seat)
        yield from self._mediated(record, before, ask.seat)
        yield from self._offered(record, before, ask.seat)

    def _counts(self, seat: Seat) -> str:
        settings = self.review.settings
        veto = "counts" if holds_veto(settings, seat) else "counts as OPPOSE with a critical item"
        return (
            f"A VETO of yours {veto}. Confidence under {settings.abstain_below} counts as ABSTAIN. "
            f"Items of at least {settings.blocking_severity.value} severity keep the change out until they are fixed."
        )

    def _positions(self, record: Record, round_: int, reader: Seat) -> Iterator[Section]:
        given, change = ballots(record, round_), under_review(record, round_)
        seen = View("", tuple(self._change(record))).material() if self._by_evidence(reader) else None
        for seat in sorted(given, key=lambda seat: self.label(round_, seat)):
            label = self.label(round_, seat)
            title = f"Your own ballot of round {round_} ({label})" if seat == reader else f"Round {round_}, {label}"
            whole = seen is None or seat == reader
            text = told(given[seat], change) if whole else claimed(given[seat], change, seen or "")
            yield self._words(title, text, reader, cut=ABOUT)

    def _mediated(self, record: Record, round_: int, reader: Seat) -> Iterator[Section]:
        for said in record.in_round("mediate", round_) if not self._by_evidence(reader) else ():
            assert isinstance(said.reply, Mediation)
            yield self._words(
                "The chair mediates", f"{said.reply.positions}\n\n{said.reply.questions}", reader, cut=ABOUT
            )

    def _offered(self, record: Record, round_: int, reader: Seat) -> Iterator[Section]:
        state: State = record.session.state
        for said in record.in_round("compromise", round_):
            assert isinstance(said.reply, Compromise)
            if not self._by_evidence(reader) or said.ask.seat == reader:
                yield self._words("A compromise is offered", said.reply.reason.text, reader, cut=3)
            for key, offer in said.reply.offers.items():
                mine = veto_keys(state).get(key) == reader
                whose = "your veto; SYNTHESIS or OPPOSE accepts it" if mine else "a veto"
                text = (
                    f"{offer.proposed_action.value} within {offer.timeline_days} days, owner: {offer.debt_owner}\n"
                    f"Accepted when: {offer.acceptance_criteria}\nCost of delay: {offer.cod_evidence}"
                )
                yield self._words(f"Offer on {key} ({whose})", text, reader, cut=1)

    def _judge(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._change(record)
        for key, claim in zip_longest(ask.keys, claims(record)[: len(ask.keys)], fillvalue=NO_CLAIM):
            text = f"{claim['claim']}\nObservable: {claim['observable']}\nExpected: {claim['expected']}"
            yield Section(f"Claim {key}: {claim['id']}, scope {claim['scope']}", text, cut=1)

    # Out of a veto

    def _vetoes(self, record: Record, reader: Seat) -> Iterator[Section]:
        """Yield the standing vetoes, each in the words of the ballot in which it counted."""
        state: State = record.session.state
        for key, seat in veto_keys(state).items():
            cast = [said.reply for said in record.said(seat, "ballot") if isinstance(said.reply, Ballot)]
            counted = [each for each in cast if count_ballot(self.review.settings, seat, each).stance is Stance.VETO]
            for last in counted[-1:]:
                text = f"{last.veto_evidence}\n\n{last.opinion}"
                if self._by_evidence(reader) and seat != reader:
                    text = quotation(last.veto_evidence, View("", tuple(self._change(record))).material())
                yield self._words(f"Veto {key}: {last.veto_class.value}", text, reader, cut=1)

    def _amend(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._change(record, framed=True)
        yield from self._vetoes(record, ask.seat)

    def _compromise(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._positions(record, state.round, ask.seat)
        yield from self._vetoes(record, ask.seat)

    def _mediate(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._positions(record, state.round, ask.seat)

    # Agreement

    def _doubt(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        now = under_review(record)
        yield from self._change(record)
        for key, item in zip(item_keys(len(state.items)), state.items, strict=True):
            said: list[str] = []
            for seat, ballot in ballots(record, state.round).items():
                said += [
                    described(each, now) for each in ballot.items if (each.path, each.rule) == (item.path, item.rule)
                ]
                charge = count_ballot(self.review.settings, seat, ballot).charge
                if charge is not None and (charge.path, charge.rule) == (item.path, item.rule):
                    said.append(
                        f"A veto that does not count as one ({ballot.veto_class.value}): {ballot.veto_evidence}\n"
                        f"{ballot.opinion}"
                    )
            title = f"Item {key}: {item.rule.value} in {now.name(item.path)}, {item.severity.value}"
            yield self._words(title, "\n\n".join(said), ask.seat, cut=1)

    def _agree(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._positions(record, state.round, ask.seat)
        now = under_review(record)
        listed = "\n".join(f"{now.name(item.path)}: {item.rule.value}, {item.severity.value}" for item in state.items)
        yield Section("Fix items that remain", listed or "none", cut=1)


def told(ballot: Ballot, change: UnderReview) -> str:
    """Return a ballot as text, without its member's name; `change` is what it was about."""
    items = "".join(f"\n- {described(item, change)}" for item in ballot.items)
    veto = f"\nVeto ({ballot.veto_class.value}): {ballot.veto_evidence}" if ballot.stance.value == "veto" else ""
    return f"{ballot.stance.name}, confidence {ballot.confidence} of 100\n{ballot.opinion}{veto}{items}"


def claimed(ballot: Ballot, change: UnderReview, seen: str) -> str:
    """Return a ballot's claims and the evidence that occurs in `seen`, without its member's own words (R37)."""
    items = "".join(
        f"\n- {change.name(item.path)} {item.rule.value}, {item.severity.value}: {quotation(item.evidence, seen)}"
        for item in ballot.items
    )
    quoted = quotation(ballot.veto_evidence, seen)
    veto = f"\nVeto ({ballot.veto_class.value}): {quoted}" if ballot.stance is Stance.VETO else ""
    return f"{ballot.stance.name}, confidence {ballot.confidence} of 100{veto}{items}"


def quotation(evidence: Prose, seen: str) -> str:
    """Return evidence that occurs in `seen`, or else the statement that it does not."""
    return evidence.text if occurs_in(evidence, seen) else "its evidence does not occur in the change"


def described(item: FixItem, change: UnderReview) -> str:
    """Return a fix item as text; a quotation that does not occur in the change is marked as such."""
    quoted = "" if item.quoted else " (this does not occur in the change)"
    return (
        f"{change.name(item.path)} {item.rule.value}, {item.severity.value}: {item.consequence}\n"
        f"  Evidence{quoted}: {item.evidence}\n  Change: {item.action}"
    )


def blindness(members: tuple[str, ...], channel: Channel) -> Blindness:
    """Return what no view may show: ballots under way, names of others, words that the channel keeps (R31, R37)."""
    seats = frozenset(Seat(name) for name in members)
    of_members = ("ballot", "judge")

    def hidden(ask: Ask, other: Ask) -> bool:
        if channel is Channel.EVIDENCE and ask.seat in seats and ask.seat != other.seat:
            return other.brief in (*of_members, "table", "mediate")
        same_phase = ask.id.partition(".")[0] == other.id.partition(".")[0]
        return ask.seat != other.seat and same_phase and ask.brief in of_members and other.brief in of_members

    def nameless(ask: Ask) -> frozenset[Seat]:
        return seats - {ask.seat} if ask.seat in seats or ask.seat == CHAIR else frozenset()

    return Blindness(hidden, nameless)
