"""Who sees what in a review: pure functions of the record, one for each brief (R6, R31 to R33).

What is common to all seats comes first and is stable between calls, so that providers can cache it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest

from quorate.core.draw import shuffled
from quorate.core.forms import Key
from quorate.core.protocol import Blindness
from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.values import replace
from quorate.core.view import Cut, Section, View, common
from quorate.kit.channel import Channel
from quorate.kit.qualification import as_note
from quorate.protocols.review.rules.ballot_count import blocking_items, count_ballot, withheld_vetoes
from quorate.protocols.review.rules.forms import Ballot, Compromise, Mediation, ReadPart
from quorate.protocols.review.rules.hits import NARROW_BRIEFS, READING_BRIEFS
from quorate.protocols.review.rules.item_words import (
    asked_about,
    bare,
    claimed,
    described,
    how_it_counts,
    in_words,
    items_read,
    quotation,
    told,
)
from quorate.protocols.review.rules.model import (
    CHAIR,
    CHECKS,
    PROPOSER,
    SKEPTIC,
    Stance,
    State,
    persona_of,
    veto_keys,
)
from quorate.protocols.review.rules.narrow_views import claim_shown, hunk_shown
from quorate.protocols.review.rules.parts import spans_told
from quorate.protocols.review.rules.protocol import Review
from quorate.protocols.review.rules.receipt import (
    ballots,
    claims,
    part_replies,
    patches_offered,
    tabling,
    under_review,
    unread_parts,
)
from quorate.protocols.review.rules.refutation import as_file, as_item
from quorate.protocols.review.rules.sight import ABOUT, PROVED, change_sections, fitted, part_sections

OFFICE_ROLES = {CHAIR: "roles/chair", SKEPTIC: "roles/skeptic", PROPOSER: "roles/proposer"}
NO_CLAIM = dict.fromkeys(("id", "scope", "claim", "observable", "expected"), "not known")


class Views:
    """The views of one review; an instance is its protocol's `view` function."""

    def __init__(self, review: Review) -> None:
        self.review, self._notes = review, review.settings.unqualified_seats
        self._by_brief: dict[str, Callable[[Record, Ask], Iterator[Section]]] = {
            "examine": self._examine,
            "apply": self._apply,
            "table": lambda record, ask: iter((*self._change(record), *self._read(record, ask.seat))),
            "read": self._part,
            "ballot": self._ballot,
            "judge": self._judge,
            "amend": self._amend,
            "compromise": self._compromise,
            "mediate": self._mediate,
            "doubt": self._doubt,
            "narrow": lambda record, ask: hunk_shown(self.review, record, ask),
            "refute": lambda record, ask: claim_shown(record, ask, self._words),
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
        role = "" if ask.brief in NARROW_BRIEFS else role
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
        for each in asked_about(record, ask):
            path = under_review(record, each.round).path(each.fact["path"])
            yield Section(f"Item {each.key} {path}".rstrip(), each.evidence)

    # What everybody is shown

    def _change(self, record: Record, *, framed: bool = False) -> Iterator[Section]:
        now = under_review(record)
        read = {now.path(item.path) for key, said in part_replies(record) for item in items_read(now, key, said)}
        return common(change_sections(now, record.session.state.files, framed=framed, read=read))

    # Parts of a large change

    def _part(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        part, _ = self.review.readings.due(state)[int(ask.id.partition(".")[2])]
        now = under_review(record)
        parts = len(now.examination.parts) if now.examination is not None else 0
        yield from part_sections(now, part, parts, self.review.settings.persona_tokens)

    def _read(self, record: Record, reader: Seat) -> Iterator[Section]:
        """Yield what the readers of each part found, without their names, and what nobody has read (R46)."""
        now = under_review(record)
        seen = View("", tuple(self._change(record))).material() if self._by_evidence(reader) else None
        for key, said in part_replies(record):
            if items := items_read(now, key, said):
                found = "\n".join(
                    f"- {described(item, now) if seen is None else bare(item, now, seen)}" for item in items
                )
                title = as_note(f"What a reader of part {key} found", said.ask.seat, self._notes)
                yield self._words(title, found, reader, cut=1)
        for key, said in part_replies(record) if seen is None else ():
            if isinstance(said.reply, ReadPart):
                yield self._words(f"What part {key} changes", said.reply.summary.text, reader, cut=ABOUT)
        if unread := tuple(spans_told(unread_parts(record), self.review.settings.narrow)):
            yield Section("What nobody has read", "\n".join(unread), data=False, cut=1)

    def _by_evidence(self, reader: Seat) -> bool:
        """Return whether a seat is shown claims and evidence of others instead of their words (R37)."""
        return self.review.settings.channel is Channel.EVIDENCE and reader in self.review.settings.members

    def _tabled(self, record: Record, reader: Seat) -> Iterator[Section]:
        if (told := tabling(record)) and not self._by_evidence(reader):
            yield self._words("The chair tables the change", told, reader, cut=ABOUT)

    # Ballots

    def label(self, round_: int, seat: Seat) -> str:
        """Return a member's pseudonym in a round: a letter drawn from the seed, the same for all readers (R31)."""
        drawn = shuffled([str(name) for name in self.review.settings.members], self.review.seed, "position", round_)
        return f"position {chr(ord('A') + drawn.index(str(seat)))}"

    def _ballot(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._read(record, ask.seat)
        yield from self._tabled(record, ask.seat)
        yield Section("How your ballot counts", how_it_counts(self.review.settings, ask.seat), data=False)
        yield from self._own(record, ask)
        if state.round == 1:
            return
        before = state.round - 1
        yield from self._positions(record, before, ask.seat)
        yield from self._mediated(record, before, ask.seat)
        yield from self._offered(record, before, ask.seat)

    def _own(self, record: Record, ask: Ask) -> Iterator[Section]:
        """Yield what its member raised and has not taken back, under the keys that it may name (R39)."""
        mine = [f"{each.key}: {in_words(record, each)}" for each in asked_about(record, ask)]
        if mine:
            yield self._words("Your own open items, by key", "\n\n".join(mine), ask.seat, cut=1)

    def _positions(self, record: Record, round_: int, reader: Seat) -> Iterator[Section]:
        given, change = ballots(record, round_), under_review(record, round_)
        seen = View("", tuple(self._change(record))).material() if self._by_evidence(reader) else None
        for seat in sorted(given, key=lambda seat: self.label(round_, seat)):
            label = self.label(round_, seat)
            title = f"Your own ballot of round {round_} ({label})" if seat == reader else f"Round {round_}, {label}"
            whole = seen is None or seat == reader
            text = told(given[seat], change) if whole else claimed(given[seat], change, seen or "")
            yield self._words(as_note(title, seat, self._notes), text, reader, cut=ABOUT)

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
        yield from self._read(record, ask.seat)
        yield from self._vetoes(record, ask.seat)

    def _compromise(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._read(record, ask.seat)
        yield from self._positions(record, state.round, ask.seat)
        yield from self._vetoes(record, ask.seat)

    def _mediate(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._change(record)
        yield from self._read(record, ask.seat)
        yield from self._positions(record, record.session.state.round, ask.seat)

    # Agreement

    def _doubt(self, record: Record, ask: Ask) -> Iterator[Section]:
        now = under_review(record)
        for section in self._change(record):
            yield as_file(section) if section.quotable and section.title != PROVED else replace(section, quotable="")
        items = {item.key: item for item in record.session.state.items}
        for each in asked_about(record, ask):
            item = items[Key(each.key)]
            veto = ", a veto withheld for low confidence" if item.withheld else ""
            title = f"Item {each.key}: {item.rule.value} in {now.name(item.path)}, {item.severity.value}{veto}"
            words = self._words(title, in_words(record, each), ask.seat, cut=1)
            yield as_item(words, each.key, item.path, each.evidence)

    def _agree(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._change(record)
        yield from self._read(record, ask.seat)
        yield from self._positions(record, state.round, ask.seat)
        now = under_review(record)
        remain = (*blocking_items(state), *withheld_vetoes(state))
        listed = "\n".join(f"{now.name(item.path)}: {item.rule.value}, {item.severity.value}" for item in remain)
        yield Section("Fix items that remain", listed or "none", cut=1)


def blindness(members: tuple[str, ...], channel: Channel) -> Blindness:
    """Return what no view may show: ballots under way, names of others, words that the channel keeps (R31, R37)."""
    seats = frozenset(Seat(name) for name in members)
    of_members = ("ballot", "judge")

    def hidden(ask: Ask, other: Ask) -> bool:
        if channel is Channel.EVIDENCE and ask.seat in seats and ask.seat != other.seat:
            return other.brief in (*of_members, *READING_BRIEFS, "table", "mediate")
        later = int(ask.id.partition(".")[0]) - int(other.id.partition(".")[0])
        if ask.brief == "refute" and other.brief == "refute":
            return ask.id != other.id
        if other.brief == "table" and ask.brief in of_members:
            return later <= 1  # the first ballot on the change that was tabled
        if ask.brief in READING_BRIEFS:
            return ask.id != other.id and other.brief in READING_BRIEFS
        return ask.seat != other.seat and later == 0 and ask.brief in of_members and other.brief in of_members

    def nameless(ask: Ask) -> frozenset[Seat]:
        return seats - {ask.seat} if ask.seat in seats or ask.seat == CHAIR else frozenset()

    return Blindness(hidden, nameless)
