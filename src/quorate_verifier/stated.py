"""What a bundle states, against what follows from its entries: asks, decisions, facts, verdict, and copies of these.

Words that explain (the claims of tests, why something was refused) are nobody's evidence and are not compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate_verifier.fate_words import unlike_the_words
from quorate_verifier.reading import alike
from quorate_verifier.report import Difference, shown
from quorate_verifier.rules import Rules
from quorate_verifier.unfit import before_the_unfit, unlike_the_unfit
from quorate_verifier.walk import ABSENT, INTERRUPTED, Ask, Move, Walk

Data = dict[str, Any]
WORDS = frozenset(("why", "arithmetic"))
"""Values of facts that explain in words."""
STEP = ("phase_entry", "phase", "rule", "outcome", "to")
ABSENCE = ("ask", "seat", "phase", "round", "reason", "detail")
FATE = ("id", "what", "by", "became")
GOING = ("/phase_entry", "/phase", "/cause", "/outcome", "/to")
"""Where a difference makes all that comes after it meaningless."""


def unlike_what_follows(data: Data, walk: Walk) -> Iterator[Difference]:
    """Yield every difference; after a move that does not follow nothing further is compared."""
    yield from _copies(data, walk.rules)
    for index, (stated, move) in enumerate(zip(data["decisions"], walk.moves, strict=False)):
        found = list(_move(f"/decisions/{index}", stated, move, walk.rules))
        yield from found
        if any(each.place.endswith(GOING) for each in found):
            return
    if walk.broken is not None:
        yield walk.broken
        return
    if len(data["decisions"]) != len(walk.moves):
        follows = f"{len(walk.moves)}, and then {walk.phase}"
        yield Difference("/decisions", f"there are {len(data['decisions'])}", follows)
        return
    yield from _transcript(data["transcript"], walk)
    yield from _concluded(data, walk)
    yield from _told_again(data, walk)
    yield from unlike_the_unfit(data, {name: each.seat for name, each in walk.asks.items()}, walk.rules.entries)
    yield from _became(data, walk, str(data["protocol"]["name"]))


def _same(place: str, stated: Any, right: Any) -> Iterator[Difference]:
    if not alike(stated, right):
        yield Difference(place, f"it is {shown(stated)}", f"{shown(right)}, by the entries and the rules")


def _each(place: str, stated: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in right.items():
        yield from _same(f"{place}/{name}", stated.get(name), value)


def _copies(data: Data, rules: Rules) -> Iterator[Difference]:
    """The bundle's own copy of the rules has to be the protocol's, and its seats those of the panel."""
    stated = data["protocol"]
    rows = [(phase, outcome, to) for phase, row in rules.table.items() for outcome, to in row.items()]
    copied = sorted((each["phase"], each["outcome"], each["to"]) for each in stated["table"])
    yield from _same("/protocol/table", copied, sorted(rows))
    when = {True: "after the phase", False: "now"}
    leads = sorted((reason, to, when[reason in rules.after]) for reason, to in rules.interrupts.items())
    told = sorted((each["reason"], each["to"], each["when"]) for each in stated["interrupts"])
    yield from _same("/protocol/interrupts", told, leads)
    rulings = {verdict: list(allowed) for verdict, allowed in rules.rulings.items()}
    yield from _each("/protocol", stated, {"initial": rules.initial, "rulings": rulings, "exit_codes": rules.codes})
    yield from _same("/protocol/ends", sorted(stated["ends"]), sorted(rules.ends))
    yield from _same("/protocol/seats", sorted(stated["seats"]), sorted(data["panel"]))


def _move(place: str, stated: Mapping[str, Any], move: Move, rules: Rules) -> Iterator[Difference]:
    right = {"phase_entry": move.entry, "phase": move.phase, "round": move.round, "cause": move.cause}
    yield from _each(place, stated, right | {"outcome": move.outcome, "to": move.to})
    heard = [{"ask": each.id, "seat": each.seat, "answer": each.answer} for each in move.asks]
    yield from _same(f"{place}/heard", stated["heard"], heard)
    taken = move.outcome if move.cause != INTERRUPTED else ""
    rows = sorted((outcome, to) for outcome, to in rules.table[move.phase].items() if outcome != taken)
    others = sorted((each["outcome"], each["to"]) for each in stated["not_taken"])
    yield from _same(f"{place}/not_taken", others, rows)
    yield from _tests(f"{place}/because", stated["because"], move)
    yield from _facts(f"{place}/facts", [e for e in stated["facts"] if e["name"] not in rules.unseen], move)


def _tests(place: str, tests: list[Data], move: Move) -> Iterator[Difference]:
    """The first test that held has to lead to the outcome; those after it were not reached."""
    held = next((index for index, each in enumerate(tests) if each["held"] is True), None)
    if (move.cause == INTERRUPTED) != (held is None) or (held is not None and tests[held]["outcome"] != move.outcome):
        yield Difference(place, f"it is {shown(tests)}", f"a first test that holds and leads to {move.outcome}")
    reached = [held is None or index <= held for index in range(len(tests))]
    yield from _same(place, [each["reached"] for each in tests], reached)


def _facts(place: str, stated: list[Data], move: Move) -> Iterator[Difference]:
    names = [each["name"] for each in stated]
    yield from _same(place, names, [name for name, _ in move.facts])
    if len(names) != len(move.facts):
        return
    for index, (fact, (_, values)) in enumerate(zip(stated, move.facts, strict=True)):
        yield from _each(f"{place}/{index}/values", fact["values"], values)
        yield from _same(f"{place}/{index}/values", sorted(fact["values"].keys() - WORDS), sorted(values))


def _transcript(stated: list[Data], walk: Walk) -> Iterator[Difference]:
    yield from _same("/transcript", [each.get("ask") for each in stated], list(walk.asks))
    for index, (line, ask) in enumerate(zip(stated, walk.asks.values(), strict=False)):
        right: Data = {"seat": ask.seat, "brief": ask.brief, "phase": ask.phase, "round": ask.round}
        right |= {"status": ask.status} | ({} if ask.keys is None else {"keys": list(ask.keys)})
        yield from _each(f"/transcript/{index}", line, right)


def _concluded(data: Data, walk: Walk) -> Iterator[Difference]:
    stated = data["verdict"]
    if walk.verdict is None or stated is None:
        if walk.verdict != stated:
            follows = f"{walk.verdict or 'none'}: the session stands in {walk.phase}"
            yield Difference("/verdict", f"it is {shown(stated)}", follows)
        return
    right = {"verdict": walk.verdict, "phase": walk.phase, "degradation": walk.degradation, "interrupted": walk.reason}
    yield from _each("/verdict", stated, right)
    allowed = walk.rules.rulings.get(walk.verdict, ())
    for index, ruling in enumerate(data["rulings"]):
        if ruling.get("verdict") not in allowed:
            expected = " or ".join(allowed) or f"none, for {walk.verdict} waits for nobody"
            yield Difference(f"/rulings/{index}/verdict", f"it is {shown(ruling.get('verdict'))}", expected)


def _told_again(data: Data, walk: Walk) -> Iterator[Difference]:
    """Compare what a bundle tells a second time: tallies, the steps to the verdict, and who was missing."""
    decisions, moves = data["decisions"], walk.moves
    frames = [{"phase_entry": each.entry, "round": each.round, "phase": each.phase} for each in moves]
    tallies = [
        frame | {"values": fact["values"]}
        for frame, decision in zip(frames, decisions, strict=True)
        for fact in decision["facts"]
        if fact["name"] == "tally"
    ]
    yield from _same("/tallies", data["tallies"], tallies)
    steps = [_step(stated, move) for stated, move in zip(decisions, moves, strict=True)]
    if data["verdict"] is not None:
        yield from _same("/verdict/derivation", _only(STEP, data["verdict"]["derivation"]), steps)
    without = [
        step
        for step, move in zip(steps, moves, strict=True)
        if move.cause != INTERRUPTED and any(each.status == ABSENT for each in move.asks)
    ]
    missing = data["degradation"]
    yield from _same("/degradation/applied", _only(STEP, missing["applied"]), without)
    yield from _same("/degradation/level", missing["level"], walk.degradation or None)
    left = [
        {"seat": values["seat"], "phase": move.phase, "round": move.round}
        for move in moves
        for name, values in move.facts
        if name == "left the table"
    ]
    yield from _same("/degradation/left", missing["left"], left)
    bodies = [each["body"] for each in data["entries"]]
    absences = [_absence(walk.asks[body["ask"]], body) for body in bodies if "absent" in body]
    yield from _same("/degradation/absences", _only(ABSENCE, missing["absences"]), absences)
    details = {body["interrupted"]: body.get("detail", "") for body in bodies if "interrupted" in body}
    for index, (stated, move) in enumerate(zip(decisions, moves, strict=True)):
        detail = details.get(move.outcome, "") if move.cause == INTERRUPTED else ""
        yield from _same(f"/decisions/{index}/detail", stated["detail"], detail)


def _became(data: Data, walk: Walk, protocol: str) -> Iterator[Difference]:
    """Compare what became of each thing that was said, then the rule that says so and its words."""
    fates = walk.rules.fates()
    if fates is not None:
        kept = before_the_unfit(data)
        stated = [{name: each.get(name) for name in FATE} for each in kept]
        right = [{name: each.get(name) for name in FATE} for each in fates]
        yield from _same("/fates", stated, right)
        words = walk.rules.words(walk.moves)
        told = [words.get(each["id"], each.get("words")) for each in fates]
        yield from unlike_the_words(data | {"fates": kept}, protocol, told) if alike(stated, right) else ()


def _step(stated: Mapping[str, Any], move: Move) -> Data:
    rule = next((each["rule"] for each in stated["because"] if each["held"]), None)
    return dict(zip(STEP, (move.entry, move.phase, rule, move.outcome, move.to), strict=True))


def _absence(ask: Ask, body: Mapping[str, Any]) -> Data:
    detail = body.get("detail", "")
    return dict(zip(ABSENCE, (ask.id, ask.seat, ask.phase, ask.round, ask.why, detail), strict=True))


def _only(names: tuple[str, ...], steps: list[Data]) -> list[Data]:
    return [{name: each.get(name) for name in names} for each in steps]
