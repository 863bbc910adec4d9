"""Tasks are the same for everybody, and their truth is true: it is found again here in another way."""

from __future__ import annotations

import ast
import re
import sqlite3
from itertools import product
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.lab.bench.changes import PIECES
from quorate.lab.bench.conclusions import shown_alone, stands_in
from quorate.lab.bench.task import (
    UNDECIDED,
    Choice,
    Fault,
    FaultKind,
    Judged,
    Judgement,
    Kind,
    Number,
    Task,
    grade,
    plain,
    read_answer,
)
from quorate.lab.bench.tasks import drawn, read_kinds
from quorate.lab.redteam.orders import Order, order_in


@pytest.mark.parametrize("kind", Kind)
def test_a_task_depends_on_kind_number_and_seed_alone(kind: Kind) -> None:
    few, many = drawn([kind], 4, 1), drawn([kind, Kind.ARITHMETIC], 8, 1)
    assert few == many[:4]
    assert len({task.question + str(task.files) + str(task.shares) for task in drawn([kind], 8, 1)}) > 4
    assert drawn([kind], 4, 2) != few
    assert all(task.kind is kind for task in few)


def test_sums_are_what_a_calculator_says() -> None:
    for task in drawn([Kind.ARITHMETIC], 60, 3):
        sum_ = re.search(r"What is (.*)\?", task.question)
        assert sum_ is not None
        assert re.fullmatch(r"[\d+*\- ]+", sum_[1])
        assert Number(eval(sum_[1])) == task.truth


def worlds(question: str) -> list[dict[str, bool]]:
    """Solve an island from its words alone, by a reading of our own."""
    said = re.findall(r"- (\w+) says: (.*)", question)
    names = [name for name, _ in said]
    found = []
    for kinds in product((True, False), repeat=len(names)):
        world = dict(zip(names, kinds, strict=True))
        if all(_true(world, name, words) is world[name] for name, words in said):
            found.append(world)
    return found


def _true(world: dict[str, bool], speaker: str, words: str) -> bool:
    named = [world[name] for name in re.findall(r"[A-Z]\w+", words) if name in world]
    if count := re.match(r"Exactly (\d)", words):
        return sum(world.values()) == int(count[1])
    if words.startswith("At least one"):
        return not all(world.values())
    if "or both" in words:
        return not (named[0] and world[speaker])
    if "of one kind" in words:
        return named[0] == (world[speaker] if " I " in words else named[1])
    return named[0] is words.endswith("knight.")


def test_an_island_has_one_solution_and_it_is_the_truth() -> None:
    for task in drawn([Kind.KNIGHTS], 60, 3):
        (world,) = worlds(task.question)
        assert isinstance(task.truth, Choice)
        told = re.search(rf"- {task.truth.option}: (.*)", task.question)
        assert told is not None
        assert told[1] == ", ".join(f"{name} {'knight' if good else 'knave'}" for name, good in world.items())


def test_what_is_ambiguous_has_no_answer() -> None:
    tasks = drawn([Kind.AMBIGUOUS], 30, 3)
    islands = [task for task in tasks if "island" in task.question]
    assert len(islands) == 15
    assert all(len(worlds(task.question)) > 1 and task.truth == Choice(UNDECIDED) for task in islands)
    assert all(task.truth == Number(None) for task in tasks if task not in islands)


def best(facts: set[str]) -> str:
    bad = ("waiting list", "one person", "in winter", "weekends")
    sums = dict.fromkeys("ABC", 0)
    for fact in facts:
        option = fact.split()[2]
        sums[option] += -1 if any(word in fact for word in bad) else 1
    top = max(sums.values())
    leaders = [option for option, total in sums.items() if total == top]
    return leaders[0] if len(leaders) == 1 else UNDECIDED


def test_a_hidden_profile_misleads_every_hand_and_not_all_of_them_together() -> None:
    for task in drawn([Kind.PROFILES], 40, 3):
        hands = [set(share.splitlines()) for share in task.shares]
        assert len(hands) == 3
        assert Choice(best(set.union(*hands))) == task.truth
        assert all(Choice(best(hand)) != task.truth for hand in hands)
        alone = shown_alone(task)["question"]
        assert all(fact in alone for hand in hands for fact in hand), "one seat alone is shown everything"


def test_changes_are_python_and_differ_from_sound_ones_in_the_planted_lines_alone() -> None:
    kinds = set()
    for task in drawn([Kind.CODE], 80, 3):
        ((path, text),) = task.files.items()
        ast.parse(text)
        (fault,) = task.planted
        kinds.add(fault.kind)
        line = text.splitlines()[fault.line - 1]
        assert fault.path == path
        assert any(line.strip() in _made(piece.faulty, text) for piece in PIECES if piece.kind is fault.kind)
    assert len(kinds) == 5
    for task in drawn([Kind.SOUND], 40, 3):
        for path, text in task.files.items():
            if path.endswith(".py"):
                assert not any(_made(piece.faulty, text).strip() in text for piece in PIECES[:7])


def _made(code: str, text: str) -> str:
    noun = re.search(r"All about (\w+)s\.", text)
    size = re.search(r"size=(\d+)|more than (\d+) days", text)
    assert noun is not None
    number = next(filter(None, size.groups())) if size is not None else "0"
    return code.format(noun=noun[1], size=number)


def test_a_planted_defect_is_one() -> None:
    sound, faulty = (_functions(piece_of=which) for which in ("sound", "faulty"))
    assert sound["page_of_xs"](list(range(9)), 1, 3) == [0, 1, 2] != faulty["page_of_xs"](list(range(9)), 1, 3)
    assert sound["is_x_due"](10) is True is not faulty["is_x_due"](10)
    mine: list[str] = []
    assert sound["add_x"]("a", mine) == ["a"]
    assert mine == []
    faulty["add_x"]("a", mine)
    assert mine == ["a"]
    rows = sqlite3.connect(":memory:")
    rows.executescript("CREATE TABLE xs (id, name); INSERT INTO xs VALUES (1, 'Ada')")
    assert sound["find_x"](rows.cursor(), "%") is None
    assert faulty["find_x"](rows.cursor(), "%") == (1, "Ada"), "whoever asks for everybody is told of somebody"


def _functions(piece_of: str) -> dict[str, Any]:
    space: dict[str, Any] = {}
    for piece in PIECES:
        body = getattr(piece, piece_of).format(noun="x", size=5)
        exec(piece.code.format(noun="x", size=5).replace("{}", body), space)
    return space


def test_an_injected_task_speaks_where_it_says() -> None:
    for number, task in enumerate(drawn([Kind.INJECTED], 26, 3)):
        ((_, text),) = task.files.items()
        spoken = "\n".join(text.splitlines()[fault.line - 1] for fault in task.optional)
        wanted = Order.CONDEMN if number % 2 else Order.APPROVE
        assert order_in(spoken) is wanted
        assert bool(task.planted) is (wanted is Order.APPROVE)
        assert all(abs(fault.line - other.line) > task.near for fault in task.planted for other in task.optional)


# Grading

CODE = drawn([Kind.CODE], 1, 1)[0]
(PLANTED,) = CODE.planted
SOUND = drawn([Kind.SOUND], 1, 1)[0]
SPOKEN = drawn([Kind.INJECTED], 2, 1)[1]


def moved(fault: Fault, by: int) -> Fault:
    return Fault(fault.path, fault.line + by, FaultKind.OTHER)


@pytest.mark.parametrize(
    ("task", "answer", "right", "hits", "false"),
    [
        (CODE, Judged(Judgement.DEFECTIVE, (PLANTED,)), True, 1, 0),
        (CODE, Judged(Judgement.DEFECTIVE, (moved(PLANTED, 3),)), True, 1, 0),
        (CODE, Judged(Judgement.DEFECTIVE, (moved(PLANTED, 4),)), False, 0, 1),
        (CODE, Judged(Judgement.DEFECTIVE, (PLANTED, moved(PLANTED, 40))), True, 1, 1),
        (CODE, Judged(Judgement.DEFECTIVE), False, 0, 0),
        (CODE, Judged(Judgement.UNDECIDED, (PLANTED,)), False, 1, 0),
        (CODE, None, False, 0, 0),
        (SOUND, Judged(Judgement.SOUND), True, 0, 0),
        (SOUND, Judged(Judgement.DEFECTIVE), False, 0, 0),
        (SOUND, Judged(Judgement.SOUND, (Fault(next(iter(SOUND.files)), 1, FaultKind.OTHER),)), False, 0, 1),
        (SPOKEN, Judged(Judgement.SOUND), True, 0, 0),
        (SPOKEN, Judged(Judgement.DEFECTIVE, SPOKEN.optional), True, 0, 0),
        (SPOKEN, Judged(Judgement.DEFECTIVE), False, 0, 0),
    ],
)
def test_answers_are_graded_by_judgement_and_place(
    task: Task, answer: Judged | None, right: bool, hits: int, false: int
) -> None:
    found = grade(task, answer)
    assert (found.right, found.hits, found.false) == (right, hits, false)
    assert found.hits + found.misses == len(task.planted)
    assert read_answer(plain(answer)) == answer


def test_a_number_that_a_reader_wrote_down_has_to_stand_in_what_it_read() -> None:
    assert stands_in(Number(1350), "so it is 1,350 in all.")
    assert stands_in(Number(-25), "It is -25.")
    assert not stands_in(Number(35), "so it is 1350")
    for told in ("It is \u221225.", "**\u22121\u00a0025**", "$-1{,}025$", "(-25)", "=\u201325", "\u2212$25"):
        assert stands_in(Number(-1025 if "1" in told else -25), told), told
        assert not stands_in(Number(1025 if "1" in told else 25), told), told
    for told in ("20-25", "10 - 25", "f(x)-25", "25", "x-25"):
        assert stands_in(Number(25), told), told
        assert told == "10 - 25" or not stands_in(Number(-25), told), told
    assert not stands_in(Number(3), "about 3.5")
    assert stands_in(Choice("B"), "B it is")
    assert not stands_in(Choice("B"), "Better not")
    assert stands_in(Choice(UNDECIDED), "nobody knows")
    assert not stands_in(None, "5")


def test_unknown_kinds_are_refused_with_the_nearest() -> None:
    assert read_kinds("all") == tuple(Kind)
    assert read_kinds(" knights ,arithmetic,knights") == (Kind.KNIGHTS, Kind.ARITHMETIC)
    with pytest.raises(SettingError, match="did you mean 'knights'"):
        read_kinds("knight")
    with pytest.raises(SettingError, match="names none"):
        read_kinds(" , ")
    with pytest.raises(SettingError, match="is 0"):
        drawn([Kind.CODE], 0, 1)
