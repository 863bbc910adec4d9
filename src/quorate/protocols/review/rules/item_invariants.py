"""The review's invariants about what was raised: every item has one fate, and no veto is lost (R22, R38 to R41)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.forms import Key
from quorate.core.protocol import Moment
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.findings import Severity
from quorate.kit.qualification import qualified
from quorate.protocols.review.rules.forms import Ballot, Doubts, Examination, FixItem
from quorate.protocols.review.rules.hits import Answer, Refutation, found_in
from quorate.protocols.review.rules.model import (
    RULE_OF_VETO,
    Item,
    Outcome,
    Phase,
    ReviewSettings,
    Stance,
    Standing,
    State,
    Verdict,
    VetoClass,
)

M = Moment[State]


def ballots_of(moment: M) -> dict[Seat, Ballot]:
    """Return the usable ballots of this moment as they were cast, by member."""
    return {ask.seat: reply for ask, reply in moment.replies if isinstance(reply, Ballot)}


def _facts(moment: M, name: str) -> Iterator[dict[str, Any]]:
    return (dict(fact.values) for fact in moment.facts if fact.name == name)


def _carried(state: State, item: Item) -> bool:
    """Whether an item has its own ground, another member's, or that of a check (R40)."""
    if item.grounded:
        return True
    same = [each for each in state.items if each.grounded and each.seat != item.seat and each.rule is item.rule]
    places = [each.path for each in same] + [path for path, rule in state.proved if rule is item.rule]
    places += [path for seat, path, rule in state.noted if rule is item.rule and seat != item.seat]
    return not item.own and item.path in places


def one_fate(settings: ReviewSettings, moment: M) -> bool:
    """Whatever is raised gets a number and one fate; what was open goes on, or its end is told once (R22, R39, R41)."""
    before, after = moment.state, moment.after
    told = [str(each["key"]) for each in _facts(moment, "raised")]
    new = [f"I{before.raised + number}" for number in range(1, _raised(moment) + 1)]
    opened = [str(each["key"]) for each in _facts(moment, "raised") if each["became"] == "open"]
    ends = [str(each["key"]) for each in _facts(moment, "ended")]
    ends += [str(each["key"]) for each in _facts(moment, "item") if not each["kept"]]
    stay = [str(item.key) for item in before.items if item.key not in ends]
    known = Counter(ends) <= Counter(str(item.key) for item in before.items)
    return (
        told == new
        and after.raised == before.raised + len(new)
        and known
        and [str(item.key) for item in after.items] == [*stay, *opened]
        and _as_it_was(settings, moment)
        and _noted(moment)
    )


def _noted(moment: M) -> bool:
    """The notes that carry what others say are those whose evidence was found, of the change as it stands (R40)."""
    notes = [each for each in _facts(moment, "raised") if each["became"] == "note" and each["grounded"]]
    new = {(str(each["seat"]), str(each["path"]), str(each["rule"])) for each in notes}
    before = [] if moment.outcome is Outcome.AMENDED else moment.state.noted
    kept = {(str(seat), str(path), rule.value) for seat, path, rule in before}
    return {(str(seat), str(path), rule.value) for seat, path, rule in moment.after.noted} == kept | new


def _raised(moment: M) -> int:
    """Return how many items the ballots of a moment raise: their own, and one for each veto that is none (R8, R38).

    Readers of parts of the change raise theirs (R46).
    """
    if moment.outcome is Outcome.READ:
        return len(list(_read(moment)))
    if moment.phase is not Phase.DEBATE or moment.interrupted is not None:
        return 0
    vetoing = {member.seat for member in moment.after.members if member.veto is not VetoClass.NONE}
    cast = ballots_of(moment).items()
    return sum(len(each.items) + (each.stance is Stance.VETO and seat not in vetoing) for seat, each in cast)


def _read(moment: M) -> Iterator[tuple[Seat, FixItem]]:
    """Yield what the readers of parts of the change found, in the order of the parts (R46, R51)."""
    heard = zip(moment.state.unread, moment.replies, strict=False)
    return ((ask.seat, each) for part, (ask, reply) in heard for each in found_in(part, reply))


def _as_it_was(settings: ReviewSettings, moment: M) -> bool:
    """No item changes but for its file after an amendment, and for a veto withheld that the skeptic confirms."""
    then = {item.key: item for item in moment.state.items}
    counted = qualified(moment.replies, settings.unqualified_seats)
    doubts = [each for _, reply in counted if isinstance(reply, Doubts) for each in reply.doubts.items()]
    confirmed = {key for key, each in doubts if each.standing is Standing.CONFIRMED}
    for item in moment.after.items:
        was = then.get(item.key, item)
        same = replace(item, path=was.path, withheld=was.withheld) == was
        moved = item.path != was.path and moment.outcome is not Outcome.AMENDED
        changed = item.withheld is not was.withheld and item.key not in confirmed
        if not same or moved or changed:
            return False
    return True


def ended_by_its_rule(settings: ReviewSettings, moment: M) -> bool:
    """An item ends by its member, by an amendment or by the skeptic, and by nothing else (R23, R38, R39)."""
    cast = ballots_of(moment)
    counted = qualified(moment.replies, settings.unqualified_seats)
    heard = [reply for _, reply in counted if isinstance(reply, Doubts)]
    doubts = [(reply.quoted, *each) for reply in heard for each in reply.doubts.items()]
    fallen = {key for quoted, key, each in doubts if each.standing is Standing.REFUTED and key in quoted}
    fallen |= {ask.keys[0] for ask, reply in counted if _says_no(reply)}
    reports = [reply for _, reply in moment.replies if isinstance(reply, Examination)]
    kept = {each.item for report in reports for each in report.kept}
    stay = {item.key for item in moment.after.items}
    for item in (each for each in moment.state.items if each.key not in stay):
        ballot = cast.get(item.seat)
        sure = ballot is not None and ballot.confidence >= settings.abstain_below
        settled = sure and ballot is not None and _settles(item, ballot)
        own = ballot is not None and (item.key in ballot.taken_back or settled)
        lost = moment.outcome is Outcome.AMENDED and (item.key not in kept or not item.grounded)
        if not (own or lost or item.key in fallen):
            return False
    return not fallen & stay


def _says_no(reply: object) -> bool:
    """Whether the skeptic says of a hit that it does not hold (R52)."""
    return isinstance(reply, Refutation) and reply.answer is Answer.DOES_NOT_HOLD


def _settles(item: Item, ballot: Ballot) -> bool:
    """Whether a confident ballot settles a veto that its member withheld: it agrees, or casts that veto again (R38)."""
    again = ballot.stance is Stance.VETO and RULE_OF_VETO[ballot.veto_class] is item.rule
    return item.withheld and (again or ballot.stance is Stance.SYNTHESIS)


def raised_as_said(settings: ReviewSettings, moment: M) -> bool:
    """An item opens exactly if its severity and words let it, and knows whether its evidence was found (R22, R40)."""
    open_now = {item.key: item for item in moment.after.items}
    if moment.outcome is Outcome.READ:
        return _raised_by_readers(settings, moment, open_now)
    cast, place = ballots_of(moment), Counter[Seat]()
    for told in _facts(moment, "raised"):
        seat = Seat(str(told["seat"]))
        ballot, at = cast[seat], place[seat]
        place[seat] += 1
        item = open_now.get(told["key"])
        if at < len(ballot.items):
            said = ballot.items[at]
            opens = settings.item_blocks(said.severity) and not said.unfounded and settings.counts(seat)
            wanted = (seat, said.rule, said.severity, said.quoted, False)
        else:
            opens, sure = settings.counts(seat), ballot.confidence >= settings.abstain_below
            wanted = (seat, RULE_OF_VETO[ballot.veto_class], Severity.CRITICAL, not ballot.groundless, not sure)
        if opens != (item is not None) or (told["became"] == "open") != opens:
            return False
        if item is not None and (item.seat, item.rule, item.severity, item.grounded, item.withheld) != wanted:
            return False
    return True


def _raised_by_readers(settings: ReviewSettings, moment: M, open_now: Mapping[Key, Item]) -> bool:
    """What readers found stands as what members raise in ballots does (R46)."""
    for told, (seat, said) in zip(_facts(moment, "raised"), _read(moment), strict=False):
        item = open_now.get(Key(str(told["key"])))
        opens = settings.item_blocks(said.severity) and not said.unfounded and settings.counts(seat)
        if opens != (item is not None) or (told["became"] == "open") != opens:
            return False
        wanted = (seat, said.path, said.rule, said.severity, said.quoted, False)
        if (
            item is not None
            and (item.seat, item.path, item.rule, item.severity, item.grounded, item.withheld) != wanted
        ):
            return False
    return True


def no_lost_veto(settings: ReviewSettings, moment: M) -> bool:
    """Whoever vetoes has a veto that stands or an item in its place; what is withheld and carried approves nothing."""
    if moment.phase is Phase.DEBATE and moment.interrupted is None:
        traces = {str(each["seat"]) for each in _facts(moment, "raised") if each["veto"]}
        standing = {str(member.seat) for member in moment.after.members if member.veto is not VetoClass.NONE}
        for seat, ballot in ballots_of(moment).items():
            if ballot.stance is Stance.VETO and (str(seat) in traces) == (str(seat) in standing):
                return False
    waits = any(item.withheld and _carried(moment.after, item) for item in moment.after.items)
    return moment.verdict is not Verdict.APPROVED or not waits or settings.literal


def nothing_carried_remains(settings: ReviewSettings, moment: M) -> bool:
    """No approval while an open item blocks (R22, R27, R40)."""
    blocks = any(not item.withheld and _carried(moment.after, item) for item in moment.after.items)
    return moment.verdict is not Verdict.APPROVED or not blocks


def somebody_judged(settings: ReviewSettings, moment: M) -> bool:
    """A quorum takes a confident vote in favour, votes of a quarter and ballots of `attendance`; an approval one."""
    if moment.verdict is Verdict.APPROVED and not moment.after.quorate:
        return False
    if moment.phase is not Phase.DEBATE or moment.interrupted is not None or not moment.after.quorate:
        return moment.after.quorate == moment.state.quorate or moment.phase is Phase.DEBATE
    if settings.narrow:
        return moment.state.answered and moment.after.answered
    cast, counting = ballots_of(moment).values(), qualified(moment.replies, settings.unqualified_seats)
    told = [reply for _, reply in counting if isinstance(reply, Ballot)]
    sure = [each for each in told if each.confidence >= settings.abstain_below]
    part, whole = (int(number) for number in settings.attendance.split("/"))
    enough = whole * len(cast) >= part * len(moment.state.members)
    votes = sum(each.stance is not Stance.ABSTAIN for each in sure)
    enough = enough and (settings.literal or 4 * votes >= len(moment.state.members))
    return enough and any(each.stance is Stance.SYNTHESIS for each in sure)
