"""Views of the debate: who sees what, one pure function of the record per brief (D28 to D31, D36).

Sections common to all seats come first and stay the same between calls, so that providers can cache them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from quorate.core.forms import Key
from quorate.core.protocol import Blindness
from quorate.core.record import Moved, Record, Said
from quorate.core.types import Ask, Seat
from quorate.core.view import Section, View, common
from quorate.protocols.debate.rules.model import (
    JUDGE,
    PERSON,
    Answers,
    Critique,
    Critiques,
    Proposal,
    Questions,
    Refinement,
    State,
    Summary,
    role_of,
)
from quorate.protocols.debate.rules.protocol import Debate
from quorate.protocols.debate.rules.responses import how_it_counts, is_none, latest_text, noted_title

RAISED = ("question issued", "question joined", "question refused")
TEXT_BRIEFS = ("propose", "refine")
AGENT_BRIEFS = ("propose", "criticise", "refine", "summarize")


@dataclass(frozen=True, slots=True)
class Clarified:
    """A question that was issued, who asked it, and the person's answer if there is one."""

    key: Key
    seats: tuple[Seat, ...]
    """Who asked it first, then who asked the same (D32)."""
    question: str
    answer: str | None


def clarifications(record: Record) -> list[Clarified]:
    """Return all issued questions, in order, with their answers; each stands once."""
    answers: dict[Key, str] = {}
    for said in record.said(PERSON, "answer"):
        assert isinstance(said.reply, Answers)
        answers |= {key: answer.text.text for key, answer in said.reply.answers.items() if not answer.blank}
    asked: dict[tuple[str, str], list[str]] = {}
    found: dict[str, Clarified] = {}
    for line in record.log:
        if isinstance(line, Said) and line.ask.brief == "propose":
            break  # questions come before all proposals, and a long debate is not searched for more
        if isinstance(line, Said) and isinstance(line.reply, Questions):
            entry = line.ask.id.partition(".")[0]
            asked[(entry, line.ask.seat)] = [q.text.text for q in line.reply.questions if not q.blank]
        elif isinstance(line, Moved):
            for fact in (fact for fact in line.move.facts if fact.name in RAISED):
                values = {name: str(value) for name, value in fact.values}
                key, seat = Key(values["id"]), Seat(values["seat"])
                text = asked[(str(line.move.entry), seat)].pop(0)
                if fact.name == "question issued":
                    found[key] = Clarified(key, (seat,), text, answers.get(key))
                elif fact.name == "question joined" and seat not in found[values["to"]].seats:
                    first = found[values["to"]]
                    found[first.key] = replace(first, seats=(*first.seats, seat))
    return list(found.values())


_SAID: tuple[Callable[[Clarified], str | None], ...] = (lambda each: each.question, lambda each: each.answer)


def current_text(record: Record, seat: Seat) -> str | None:
    """Return an agent's current text: its last refinement, else its proposal."""
    said = latest_text(record, seat, *TEXT_BRIEFS)
    return None if said is None else _text(said)


def _text(said: Said) -> str:
    assert isinstance(said.reply, Proposal | Refinement | Summary)
    return said.reply.text.text


def _version(said: Said) -> str:
    """Return a text's title for its author, by the round that criticises it: the next one for a refinement (D12)."""
    return f"Your proposal of round {said.round + (said.ask.brief == 'refine')}"


def _titled(kind: str, key: Key) -> str:
    """Return a section title: a label such as `proposal-1` is one, an agent's name needs a noun (D13)."""
    return key if key.startswith(f"{kind}-") else f"{kind.capitalize()} {key}"


def place_of(said: Said) -> tuple[int, int]:
    """Return the sort key of an ask: its phase entry, and its index among the asks of that entry."""
    entry, _, index = said.ask.id.partition(".")
    return int(entry), int(index)


class Views:
    """The views of one debate; an instance is the protocol's `view` function."""

    def __init__(self, debate: Debate) -> None:
        self.debate, self._notes = debate, debate.settings.unqualified_seats
        self._by_brief: dict[str, Callable[[Record, Ask], Iterator[Section]]] = {
            "clarify": self._clarify,
            "answer": self._answer,
            "summarize": self._summarize,
            "propose": lambda record, ask: iter(()),
            "criticise": self._criticise,
            "refine": self._refine,
            "evaluate-convergence": self._evaluate,
            "evaluate-quality": self._evaluate,
            "summarize-debate": self._whole_debate,
            "synthesize": self._synthesize,
        }

    def __call__(self, record: Record, ask: Ask) -> View:
        role = "" if ask.seat in (JUDGE, PERSON) else f"roles/{role_of(ask.seat)}"
        own = (*self._by_brief[ask.brief](record, ask), *how_it_counts(ask, self._notes))
        sections = (*common(self._common(record)), *own)
        return View(role, tuple(sections))

    def _common(self, record: Record) -> Iterator[Section]:
        yield Section("The problem", record.material["problem"])
        if files := record.material.get("context", ""):
            yield Section("Files of the context folder", files, cut=1)
        if asked := [each for each in clarifications(record) if each.answer is not None]:
            questions, answers = ([f"{c.key}: {text}" for c in asked for text in (said(c),)] for said in _SAID)
            yield Section("Questions to the person", "\n".join(questions), cut=1)
            yield Section("The person's answers", "\n".join(answers), data=False, person=True, cut=1)

    def clarified(self, record: Record) -> list[Clarified]:
        """Return the clarifications, for the report."""
        return clarifications(record)

    def latest_text(self, record: Record, seat: Seat) -> Said | None:
        """Return an agent's current text, for the report."""
        return latest_text(record, seat, *TEXT_BRIEFS)

    def judges_summary(self, record: Record) -> Said | None:
        """Return what the judge worked from instead of the whole texts (D18), for the report."""
        return latest_text(record, JUDGE, "summarize-debate")

    def _clarify(self, record: Record, ask: Ask) -> Iterator[Section]:
        most = self.debate.settings.clarifications_max_per_agent
        yield Section("Limit", f"At most {most} questions count.", data=False)

    def _answer(self, record: Record, ask: Ask) -> Iterator[Section]:
        for question in clarifications(record):
            if question.key in ask.keys:
                yield Section(f"{question.key}, asked by {' and '.join(question.seats)}", question.question)

    def _summarize(self, record: Record, ask: Ask) -> Iterator[Section]:
        most = self.debate.settings.summarization.max_length
        yield from self._own_texts(record, ask.seat)
        yield Section("Limit", f"At most {most} characters.", data=False)

    def _own_texts(self, record: Record, seat: Seat, *, standing: int = 5) -> Iterator[Section]:
        """Return an agent's own texts: its last summary and what came after it (D11); the last one is current.

        Each keeps its title and its place in all later rounds, so that it is read once; `standing` is when the last one
        is cut.
        """
        summary = latest_text(record, seat, "summarize")
        if summary is not None:
            shown = _text(summary)[: self.debate.settings.summarization.max_length]
            yield Section("Summary of your earlier texts", shown, cut=4)
        after = -1 if summary is None else summary.envelope.seq
        since = [said for said in record.said(seat, *TEXT_BRIEFS, after=after) if not is_none(said.reply)]
        last = latest_text(record, seat, *TEXT_BRIEFS)
        for said in since or ([] if last is None else [last]):
            yield Section(_version(said), _text(said), cut=standing if said is last else 5)

    def _criticise(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._own_texts(record, ask.seat, standing=3)
        for key, other in self.debate.targets(record.session.state, ask.seat).items():
            title = noted_title(_titled("proposal", key), other, self._notes)
            yield Section(title, current_text(record, other) or "", cut=2)

    def _refine(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        agent = next(agent for agent in state.agents if agent.seat == ask.seat)
        yield from self._own_texts(record, ask.seat, standing=1)
        given = {said.ask.seat: said for said in record.in_round("criticise", state.round)}
        for key, critic in self.debate.critics(state, agent).items():
            title = noted_title(_titled("critique", key), critic, self._notes)
            yield Section(title, self._critique_of(given[critic], ask.seat), cut=2)

    def _critique_of(self, said: Said, target: Seat) -> str:
        return next(
            f"Strengths: {critique.strengths}\nWeaknesses: {critique.weaknesses}\n"
            f"Suggestion: {critique.suggestion}\nWeight: {critique.weight.value}"
            for seat, critique in self.critiques_in(said)
            if seat == target
        )

    def critiques_in(self, said: Said) -> Iterator[tuple[Seat, Critique]]:
        """Yield a critic's critiques, each with the author of the criticised text."""
        assert isinstance(said.reply, Critiques)
        labels = self.debate.labels("proposal", said.round, said.ask.seat)
        for key, critique in said.reply.critiques.items():
            yield labels[key], critique

    def _evaluate(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._debated(record, (state.round,))

    def _whole_debate(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._debated(record, range(state.round, 0, -1))
        yield Section("Limit", f"At most {self.debate.settings.summarization.max_length} characters.", data=False)

    def _synthesize(self, record: Record, ask: Ask) -> Iterator[Section]:
        if (summary := self.judges_summary(record)) is not None:
            shown = _text(summary)[: self.debate.settings.summarization.max_length]
            yield Section("Your summary of the debate", shown)
            return
        state: State = record.session.state
        yield from self._debated(record, range(state.round, 0, -1))

    def _debated(self, record: Record, rounds: Iterable[int]) -> Iterator[Section]:
        """Yield the sections for the judge: the current texts, and the critiques of these rounds."""
        yield from self._final_texts(record)
        yield from self._critiques(record, rounds)

    def _final_texts(self, record: Record) -> Iterator[Section]:
        state: State = record.session.state
        for agent in state.agents:
            if (text := current_text(record, agent.seat)) is not None:
                note = ", which left the debate" if agent.left else ""
                yield Section(noted_title(f"Text of {agent.seat}{note}", agent.seat, self._notes), text, cut=2)

    def _critiques(self, record: Record, rounds: Iterable[int]) -> Iterator[Section]:
        for round_ in rounds:
            for said in sorted(record.in_round("criticise", round_), key=place_of):  # not by arrival (D3)
                if text := self._all_critiques(said):
                    title = noted_title(f"Round {round_}, {said.ask.seat}", said.ask.seat, self._notes)
                    yield Section(title, text, cut=3)

    def _all_critiques(self, said: Said) -> str:
        """Return all critiques of one critic in a round as one text, so that no critic can pose as another."""
        return "\n".join(
            f"On {target} ({critique.weight.value}): {critique.weaknesses}\nSuggestion: {critique.suggestion}"
            for target, critique in self.critiques_in(said)
        )


def blindness(anonymous: bool, agents: tuple[str, ...]) -> Blindness:
    """Return what views must hide (D28, D29)."""

    def hidden(ask: Ask, other: Ask) -> bool:
        if ask.seat in (JUDGE, PERSON) or ask.seat == other.seat:
            return False
        if ask.brief in ("propose", "clarify"):
            return other.brief in AGENT_BRIEFS
        return other.brief == "summarize" or (ask.brief == "criticise" and other.brief == "criticise")

    def nameless(ask: Ask) -> frozenset[Seat]:
        if not anonymous or ask.brief not in ("criticise", "refine"):
            return frozenset()
        return frozenset(Seat(name) for name in agents if name != ask.seat)

    return Blindness(hidden, nameless)
