"""Recorded debates of known make, written as others write theirs; the content is drawn here, so nobody's is needed.

The shapes follow the writers themselves, key by key: for MALLM its `scheduler.py` of the spring and the summer of 2024
and of release 1.0.5, for DyLAN the scripts of `code/MATH` (transcripts) and `code/MMLU` (completions).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

AGENTS = 3
Drawn = list[tuple[str, list[list[str]]]]
"""Items with a truth of A to D, and the answers of every agent by round."""


def positions(seed: int, items: int) -> Drawn:
    """Draw items with a truth of A to D, three first answers that err together now and then, and a second round."""
    draw = Random(seed)
    found = []
    for _ in range(items):
        truth = draw.choice("ABCD")
        wrong = [each for each in "ABCD" if each != truth]
        shared = truth if draw.random() < 0.6 else draw.choice(wrong)
        alike = draw.random() < 0.4
        first = [shared if alike else truth if draw.random() < 0.6 else draw.choice(wrong) for _ in range(AGENTS)]
        most = max(first, key=first.count)
        second = [most if draw.random() < 0.8 else each for each in first]
        found.append((truth, [first, second]))
    return found


def mallm(path: Path, seed: int = 7, items: int = 40) -> Drawn:
    """Write them as MALLM 1.0.5 does, with other ids of agents in each discussion; return what was written."""
    drawn = positions(seed, items)
    path.write_text(json.dumps([discussion(n, *each) for n, each in enumerate(drawn)]), encoding="utf-8")
    return drawn


def message(number: int, turn: int, agent: str, solution: str | None, **more: Any) -> dict[str, Any]:
    """One entry of `globalMemory`, as release 1.0.5 writes it."""
    return {
        "message_id": number,
        "turn": turn,
        "agent_id": agent,
        "persona": "Someone",
        "contribution": "improve",
        "message": "I think so.",
        "agreement": False,
        "solution": solution,
        "memory_ids": [],
        "additional_args": {
            "task_instruction": "Answer the question.",
            "input_str": "Which one?",
            "current_draft": None,
            "persona": "Someone",
            "persona_description": "somebody who knows",
            "agent_memory": None,
            "feedback_sentences": None,
        },
        **more,
    }


def discussion(number: int, truth: str, rounds: Sequence[Sequence[str]], **more: Any) -> dict[str, Any]:
    """One record of release 1.0.5, with the keys of its scheduler."""
    agents = [f"{number:08x}-0000-4000-8000-{agent:012x}" for agent in range(len(rounds[0]))]
    memory = [
        message(turn * len(agents) + place, turn + 1, agents[place], f"{answer}) as I said.")
        for turn, answers in enumerate(rounds)
        for place, answer in enumerate(answers)
    ]
    return {
        "dataset": "made_here.json",
        "exampleId": f"example-{number}",
        "datasetId": None,
        "instruction": "Answer the question.",
        "coordinatorId": f"{number:08x}-1111-4000-8000-000000000000",
        "personas": [
            {"agentId": each, "model": "some", "persona": "Someone", "personaDescription": "somebody who knows"}
            for each in agents
        ],
        "persona_diversity": None,
        "paradigm": "memory",
        "input": ["Which one?"],
        "context": None,
        "finalAnswer": f"{rounds[-1][0]}) as we said.",
        "votesEachTurn": {},
        "challengedAnswers": {"answer": f"{rounds[-1][0]}) as we said.", "additional_information": None},
        "references": [f"{truth}) the right one"],
        "metadata": None,
        "decisionSuccess": True,
        "agreements": [],
        "turns": len(rounds),
        "clockSeconds": 1.5,
        "globalMemory": memory,
        "agentMemory": [],
        "judgements": None,
        "judged_solutions": None,
        **more,
    }


def spring(number: int, truth: str, rounds: Sequence[Sequence[str]]) -> dict[str, Any]:
    """One record of the spring of 2024: other names of keys, and messages in the order of a database, not of time."""
    made = discussion(number, truth, rounds)
    memory = [
        {
            "messageId": each["message_id"],
            "turn": each["turn"],
            "agentId": each["agent_id"],
            "persona": "Someone",
            "additionalArgs": {},
            "contribution": "draft",
            "memoryIds": [],
            "text": "I think so.",
            "agreement": None,
            "extractedDraft": each["solution"],
        }
        for each in made["globalMemory"]
    ]
    kept = ("exampleId", "datasetId", "instruction", "coordinatorId", "personas", "paradigm", "input", "context")
    return {
        "dataset": "placeholder",
        **{key: made[key] for key in kept},
        "answer": made["finalAnswer"],
        "references": made["references"],
        "agreements": [],
        "turns": made["turns"],
        "clockSeconds": 1.5,
        "globalMemory": sorted(memory, key=lambda each: str(hash(each["messageId"]) * 7 % 5)),
        "agentMemory": [],
    }


def summer(number: int, truth: str, rounds: Sequence[Sequence[str]]) -> dict[str, Any]:
    """One record of the summer of 2024: messages as today, a long answer, and the one extracted from it."""
    made = discussion(number, truth, rounds)
    kept = ("dataset", "exampleId", "datasetId", "instruction", "coordinatorId", "personas", "paradigm", "input")
    return {
        **{key: made[key] for key in (*kept, "context")},
        "answer": "We have talked about it for long. " * 20,
        "extracted_answer": made["finalAnswer"],
        **{key: made[key] for key in ("references", "agreements", "turns", "clockSeconds", "globalMemory")},
        "agentMemory": [],
    }


def alone(made: dict[str, Any], memory: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The same sample answered by one model: a baseline without a memory, an ablation with one of its own."""
    no = ("coordinatorId", "personas", "paradigm", "decisionSuccess", "agreements", "turns", "agentMemory")
    kept = {key: each for key, each in made.items() if key not in ("votesEachTurn", "challengedAnswers", "judgements")}
    return {**kept, **dict.fromkeys(no), "globalMemory": memory}


def dylan(path: Path, seed: int = 7, items: int = 40) -> Drawn:
    """Write them as the scripts of DyLAN for MATH do: numbers in boxes, a transcript of each agent."""
    drawn = positions(seed, items)
    data = {}
    for number, (truth, rounds) in enumerate(drawn):
        question = problem(number)
        replies = [[box(f"{ord(each)}.0") for each in answers] for answers in rounds]
        data[question] = [transcripts(question, replies), str(ord(truth)), 3, "Counting & Probability"]
    path.write_text(json.dumps(data), encoding="utf-8")
    return drawn


def problem(number: int) -> str:
    """A question with the examples that stand before every one of them."""
    examples = "Problem: What is 1+1?\nAnswer: The answer is 2.\n\n" * 3
    return f"{examples}Please solve the problem below.\nProblem: Number {number} of which?\nAnswer:"


def box(answer: str) -> str:
    return f"So it is $\\boxed{{{answer}}}$."


def quoting(question: str, replies: Sequence[str]) -> str:
    """The prompt of a later round: the question, and what the others say."""
    told = "".join(f"\n\nOne agent's solution: ```{reply}```" for reply in replies)
    return f"Follow the examples.\n\n{question}\n\nThese are the solutions: {told}\n\nWhat do you say now?"


def transcripts(question: str, rounds: Sequence[Sequence[str]]) -> list[list[dict[str, str]]]:
    """What is stored of agents that answer in turn; a round may be shorter than the one before it."""
    found = [[{"role": "system", "content": "It's a debate."}] for _ in rounds[0]]
    for turn, replies in enumerate(rounds):
        prompt = question if turn == 0 else quoting(question, rounds[turn - 1])
        for place, reply in enumerate(replies):
            found[place] += [{"role": "user", "content": prompt}, {"role": "assistant", "content": reply}]
    return found


def completions(path: Path, rounds: Sequence[Sequence[Sequence[str | None]]]) -> None:
    """Write what the scripts of DyLAN for MMLU do: a line for each question, replies by agent and round."""
    path.write_text("".join(json.dumps(each) + "\n" for each in rounds), encoding="utf-8")
