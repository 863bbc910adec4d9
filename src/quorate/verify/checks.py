"""The nine results of `verify`, for one protocol under one or several profiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.errors import DefinitionError
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.roles import is_role
from quorate.verify.bounds import Figure, WorstCase, cycle, worst_case
from quorate.verify.counterexamples import Enough, Failure, Failures, Via
from quorate.verify.explore import Walk
from quorate.verify.report import Profile, ProofResult, ProofStatus, Report
from quorate.verify.sight import MATERIAL, Sight
from quorate.verify.story import Story, tell

TITLES: Mapping[int, str] = {
    1: "every phase and every row is reached",
    2: "every session reaches a verdict",
    3: "every combination of replies has a defined outcome",
    4: "nothing waits for nobody",
    5: "the protocol's invariants hold",
    6: "no view shows what it must not",
    7: "settling early never changes an outcome",
    8: "the worst case is known",
    9: "every brief exists and is used",
}
TOGETHER = (1, 9)
"""Results over all profiles together: each may be there for a row or a brief that the others never use."""
PREAMBLE = "preamble"
"""The brief that stands before every prompt; no ask names it."""


@dataclass
class ProfileProof:
    """One profile under proof."""

    name: str
    walk: Walk[Any]
    sight: Sight
    failures: Failures
    worst: WorstCase = field(default_factory=WorstCase)

    @property
    def gaps(self) -> list[str]:
        """Return why the walk is incomplete."""
        domains = [f"the domain of {each.form}" for each in self.walk.choices.walked.values() if not each.exact]
        return [*domains, *self.walk.cuts]


def verify(
    protocols: Mapping[str, Protocol[Any]],
    material: Mapping[str, str] = MATERIAL,
    figures: Mapping[Seat, Figure] | None = None,
    *,
    stop_at_first: bool = False,
    whole: bool = True,
) -> Report:
    """Walk each protocol and prove what holds; several profiles of one protocol are proven together.

    `material` is what the views find as the texts deliberated about (a definition says it: `proven_with`), `figures`
    what an ask costs by seat. With `stop_at_first` the walk ends with the first failure, and only that one is told.
    Unless these are the `whole` of the profiles, what none of them reaches is no failure: results 1 and 9 are bounded.
    """
    if not protocols:
        raise DefinitionError("there is no protocol to verify")
    proofs: list[ProfileProof] = []
    for name, protocol in protocols.items():
        failures = Failures(stop_at_first=stop_at_first)
        walk = Walk(protocol, failures)
        proof = ProfileProof(name, walk, Sight(walk, material), failures)
        proofs.append(proof)
        try:
            _prove(proof, figures)
        except Enough:
            return _report(proofs, Failures(), whole)
    common = Failures()
    if whole:
        _reached(proofs, common)
        _used(proofs, common)
    return _report(proofs, common, whole)


def _prove(proof: ProfileProof, figures: Mapping[Seat, Figure] | None) -> None:
    proof.walk.run()
    looping = _ends(proof)
    proof.sight.look()
    if not looping:
        proof.worst = worst_case(proof.walk, figures)


def _ends(proof: ProfileProof) -> bool:
    """Look for a cycle, that is, a session that could go on forever."""
    walk = proof.walk
    if walk.unfinished:
        deepest = len(walk.vertices) - 1
        says = f"{next(iter(walk.cuts))}; this session was still going on, so it is not shown that every one ends"
        proof.failures.add(Failure(2, "too many states", says, "", deepest))
    places = cycle(walk)
    if places is None:
        return walk.unfinished
    legs: list[tuple[int, Via]] = []
    for place, other in zip(places, [*places[1:], places[0]], strict=True):
        legs.append((place, walk.vertices[place].next[other]))
    phase = walk.vertices[places[0]].session.phase.name
    names = ", up to the names of interchangeable seats" if walk.symmetry.groups else ""
    says = (
        f"the session stands in {phase} as it stood {_some(len(legs), 'asking phase')} before{names}: "
        "it can go on like this for ever"
    )
    proof.failures.add(Failure(2, "cycle", says, "", places[0], tuple(legs)))
    return True


def _reached(proofs: list[ProfileProof], failures: Failures) -> None:
    """Result 1 over all profiles together: a row may be live under some settings only."""
    phases = {phase for proof in proofs for phase in proof.walk.observer.phases}
    rows = {row for proof in proofs for row in proof.walk.observer.rows}
    verdicts = {verdict for proof in proofs for verdict in proof.walk.observer.verdicts}
    for proof in proofs:
        protocol = proof.walk.protocol
        for phase in (*protocol.nodes, *protocol.verdicts):
            if phase not in phases:
                failures.add(Failure(1, f"phase {phase.name}", f"the phase {phase.name} is never entered", ""))
        for phase, outcomes in protocol.table.items():
            for outcome, to in outcomes.items():
                if (phase, outcome) not in rows and phase in phases:
                    says = f"the row {phase.name}, {outcome.name}, {to.name} is never taken"
                    failures.add(Failure(1, f"row {phase.name} {outcome.name}", says, ""))
        for verdict in protocol.exit_codes:
            if verdict not in verdicts:
                failures.add(Failure(1, f"verdict {verdict.name}", f"the verdict {verdict.name} is never reached", ""))


def _used(proofs: list[ProfileProof], failures: Failures) -> None:
    """Result 9 over all profiles together: every brief that is no role is used by some ask."""
    used = {brief for proof in proofs for brief in proof.walk.observer.briefs}
    for proof in proofs:
        for brief in proof.walk.protocol.briefs:
            if not is_role(brief) and brief not in (*used, PREAMBLE):
                failures.add(Failure(9, f"brief {brief}", f"no ask uses the brief {brief!r}", ""))


def _report(proofs: list[ProfileProof], common: Failures, whole: bool) -> Report:
    details: Mapping[int, Callable[[list[ProfileProof]], str]] = {
        1: _rows_told,
        2: _ends_told,
        3: _replies_told,
        4: lambda _: "every state at rest has an open ask or a verdict, and no phases are passed for ever",
        5: _invariants_told,
        6: _sight_told,
        7: _settled_told,
        8: _worst_told,
        9: lambda _: "every ask's brief has a text" + ", and every brief that is no role is asked with" * whole,
    }
    results = tuple(_result(number, proofs, common, details[number], whole) for number in TITLES)
    profiles = {proof.name: _profile(proof) for proof in proofs}
    return Report(proofs[0].walk.protocol.name, results, profiles)


def _result(
    number: int, proofs: list[ProfileProof], common: Failures, detail: Callable[[list[ProfileProof]], str], whole: bool
) -> ProofResult:
    found: list[tuple[Failure, Story | None]] = [(failure, None) for failure in common.of(number)]
    for proof in proofs:
        found += [(failure, tell(proof.walk, failure, proof.name)) for failure in proof.failures.of(number)]
    if found:
        stories = [story for _, story in found if story is not None]
        shortest = min(stories, key=lambda story: len(story.steps), default=None)
        return ProofResult(number, TITLES[number], ProofStatus.FAILED, "; ".join(f.what for f, _ in found), shortest)
    if number == 8 and any(proof.failures.of(2) for proof in proofs):
        return ProofResult(
            8, TITLES[8], ProofStatus.FAILED, "there is no worst case while a session may go on for ever (2)"
        )
    gaps = [] if _needs_no_more(number, proofs) else _gaps(proofs)
    if number == 6:
        gaps.insert(0, "views are looked at on typical sessions and on one way to every kind of ask")
    if number in TOGETHER and not whole:
        gaps.insert(0, "other profiles were left out, and what only they reach or use with them")
    if not gaps:
        return ProofResult(number, TITLES[number], ProofStatus.PROVEN, detail(proofs))
    return ProofResult(number, TITLES[number], ProofStatus.BOUNDED, f"{detail(proofs)}. Bounded by {'; '.join(gaps)}")


def _gaps(proofs: list[ProfileProof]) -> list[str]:
    """Return what was not walked, each gap once, with its profiles if other profiles walked it."""
    profiles: dict[str, list[str]] = {}
    for proof in proofs:
        for gap in proof.gaps:
            profiles.setdefault(gap, []).append(repr(proof.name))
    return [
        gap if len(names) == len(proofs) else f"{gap} (under {', '.join(names)})" for gap, names in profiles.items()
    ]


def _needs_no_more(number: int, proofs: list[ProfileProof]) -> bool:
    """Whether a result holds even for an incomplete walk: everything was reached, or nothing can settle early."""
    settles = any(node.settle for proof in proofs for node in proof.walk.protocol.nodes.values())
    return number == 1 or (number == 7 and not settles)


def _profile(proof: ProfileProof) -> Profile:
    walk = proof.walk
    alike = "; ".join(", ".join(group) for group in walk.symmetry.groups)
    return Profile(
        settings=walk.protocol.settings,
        domains=tuple(walk.choices.walked.values()),
        cuts=tuple(walk.cuts),
        symmetry=alike or f"none, {walk.symmetry.off}",
        states=len(walk.vertices),
        moves=walk.observer.moves,
        combinations=walk.combinations,
        worst=proof.worst,
    )


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _rows_told(proofs: list[ProfileProof]) -> str:
    phases = {phase for proof in proofs for phase in proof.walk.observer.phases}
    rows = {row for proof in proofs for row in proof.walk.observer.rows}
    return f"{_some(len(phases), 'phase')} and {_some(len(rows), 'row')}, over {_some(len(proofs), 'profile')} together"


def _ends_told(proofs: list[ProfileProof]) -> str:
    worst = {proof.name: proof.worst for proof in proofs}
    longest = [f"{_some(w.rounds, 'round')} and {_some(w.asks, 'ask')} under {name!r}" for name, w in worst.items()]
    return "no state comes back; at most " + ", ".join(longest)


def _replies_told(proofs: list[ProfileProof]) -> str:
    """Describe what result 3 covers: the replies tried, and the calls repeated to check purity (purity.py)."""
    combinations = sum(proof.walk.combinations for proof in proofs)
    states = sum(len(proof.walk.vertices) for proof in proofs)
    reasons = "with their reasons wherever these are read"
    twice = sum(proof.walk.probe.purity.made + proof.sight.purity.made for proof in proofs)
    pure = f"{twice} calls were made twice and gave the same"
    return f"{combinations} combinations at {states} states, absences included, {reasons}; {pure}"


def _invariants_told(proofs: list[ProfileProof]) -> str:
    names = dict.fromkeys(each.name for proof in proofs for each in proof.walk.protocol.invariants)
    moves = sum(proof.walk.observer.moves for proof in proofs)
    samples = sum(proof.walk.compare.made for proof in proofs)
    alike = f"; {samples} samples show seats alike and the order of replies to be nothing" if samples else ""
    return f"{len(names)} invariants at {moves} moves{alike}"


def _sight_told(proofs: list[ProfileProof]) -> str:
    views = sum(proof.sight.views for proof in proofs)
    kinds = sum(len(proof.sight.kinds) for proof in proofs)
    declared = any(proof.walk.protocol.blindness is not None for proof in proofs)
    hidden = "" if declared else "; the protocol declares nothing to be hidden"
    return f"{views} views for {kinds} kinds of ask, every reply's prose a canary{hidden}"


def _settled_told(proofs: list[ProfileProof]) -> str:
    phases = sorted({phase.name for proof in proofs for phase in proof.walk.settlement.phases})
    count = sum(proof.walk.settlement.found for proof in proofs)
    if not phases:
        return "no phase settles early"
    return f"{', '.join(phases)} settles with {count} incomplete sets of replies, and no completion decides otherwise"


def _worst_told(proofs: list[ProfileProof]) -> str:
    told = []
    for proof in proofs:
        worst, money = proof.worst, ""
        if worst.tokens is not None and worst.cost is not None:
            money = f", {worst.tokens} tokens, {worst.cost / 1_000_000:.6f} US dollars"
        told.append(f"{worst.asks} asks{money} under {proof.name!r}")
    return "at most " + ", ".join(told)
