"""An RFC of any size without a defect, made up: as many tickets and dependencies as are asked for, all in order."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

DOCUMENTS = {
    "02_design_decisions": "rfc_design_decisions:\n  decisions:\n    - id: DEC-0001\n      title: Parts\n",
    "03_trust_boundaries": "rfc_trust_boundaries:\n  boundaries: []\n  threats: []\n",
    "04_contracts_and_versioning": "rfc_contracts_and_versioning:\n  contracts: []\n",
    "05_rollout_and_ops": "rfc_rollout_and_ops:\n  phases: []\n",
    "06_ticket_decomposition": "rfc_ticket_decomposition:\n  decomposition_strategy: Part by part.\n",
    "07_test_and_evidence": "rfc_test_and_evidence:\n  evidence_registry: []\n",
    "08_risks_and_open_questions": "rfc_risks_and_open_questions:\n  risks: []\n",
    "09_governance_and_gates": "rfc_governance_and_gates:\n  waivers: []\n",
}
META = """\
rfc_meta:
  version: v4
  rfc: {id: RFC-0099, title: "A large plan", status: PROPOSED}
  binds_to_prd: {prd_id: NONE, rationale: "Its requirements stand in the RFC's own folder."}
"""
PARTS = 12
WORDS = (
    "order",
    "item",
    "price",
    "total",
    "queue",
    "retry",
    "index",
    "cache",
    "fetch",
    "state",
    "value",
    "label",
    "count",
)


def write_rfc(folder: Path, tickets: int = 66, edges: int = 164) -> Path:
    """Write an RFC in which the gates find nothing, and return its folder; two tickets share each requirement."""
    chance = random.Random(4)
    needs = _dependencies(chance, tickets, edges)
    texts = {f"{name}.yaml": text for name, text in DOCUMENTS.items()}
    texts["00_meta.yaml"] = META
    texts["01_problem_and_imports.yaml"] = "".join(_imports(tickets))
    for number in range(tickets):
        texts[f"tickets/{_id(number)}.yaml"] = "".join(_ticket(chance, number, sorted(needs[number])))
    texts["ccp/component_atlas.yaml"] = "component_atlas:\n  components:\n" + "".join(
        f"    - {{id: COMP-{part}, name: part{part}, path: src/part{part}, description: Part {part}}}\n"
        for part in range(PARTS)
    )
    files = [{"path": f"src/part{part}/module{number}.py"} for part in range(PARTS) for number in range(40)]
    texts["ccp/ccp_index.json"] = json.dumps({"prd_id": "PRD-0099", "file_inventory": {"files": files}}, indent=1)
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def _id(number: int) -> str:
    return f"TCK-{number + 1:05}"


def _dependencies(chance: random.Random, tickets: int, edges: int) -> list[set[int]]:
    """Let each ticket wait for the one before it in its pair, then draw earlier ones until there are enough."""
    assert tickets // 2 <= edges <= tickets * (tickets - 1) // 2, "more dependencies than pairs, or fewer than needed"
    needs: list[set[int]] = [{number - 1} if number % 2 else set() for number in range(tickets)]
    while sum(map(len, needs)) < edges:
        later = chance.randrange(1, tickets)
        needs[later].add(chance.randrange(later))
    return needs


def _imports(tickets: int) -> Iterator[str]:
    yield "rfc_problem_and_imports:\n  problem_statement: {summary: Everything is slow.}\n  imported_requirements:\n"
    for number in range((tickets + 1) // 2):
        yield f'    - id: REQ-{number + 1:04}\n      title: "Part {number + 1} works"\n'
        yield f'      statement: "Whoever uses part {number + 1} gets what was asked for."\n'


def _ticket(chance: random.Random, number: int, needs: list[int]) -> Iterator[str]:
    part, new = number % PARTS, f"src/part{number % PARTS}/new{number}"
    yield f'ticket_meta:\n  ticket: {{id: {_id(number)}, title: "Step {number + 1} of the plan", status: READY}}\n'
    yield f"  binds:\n    rfc_id: RFC-0099\n    requirements:\n      - requirement_id: REQ-{number // 2 + 1:04}\n"
    yield "dependencies:\n  tickets:" + ("" if needs else " []") + "\n"
    for other in needs:
        yield f'    - ticket_id: {_id(other)}\n      reason: "{_sentence(chance)}"\n'
    yield f"implementation:\n  summary: |\n    {_sentence(chance)}\n  files_to_modify:\n"
    for module in chance.sample(range(40), 2):
        yield f'    - path: "src/part{part}/module{module}.py"\n      changes: "{_sentence(chance)}"\n'
    yield "  files_to_create:\n"
    for ending in ("", "_rows", "_test"):
        yield f'    - path: "{new}{ending}.py"\n      purpose: "{_sentence(chance)}"\n'
    yield "  implementation_steps:\n"
    for step in range(1, 7):
        details = "".join(f"        {_sentence(chance)}\n" for _ in range(6))
        yield f'    - step: {step}\n      action: "{_sentence(chance)}"\n      details: |\n{details}'
    yield "acceptance_criteria:\n"
    for _ in range(3):
        yield f'  - criterion: "{_sentence(chance)}"\n    verification: "pytest {new}_test.py"\n'
    yield "test_requirements:\n"
    for test in range(1, 6):
        yield f"  - test_id: UT-{number + 1}-{test:02}\n    description: {_sentence(chance)}\n"
        yield f'    verification_command: "pytest {new}_test.py -k case{test}"\n'


def _sentence(chance: random.Random) -> str:
    words = " ".join(chance.choices(WORDS, k=9))
    return f"{words.capitalize()} {chance.randrange(1_000)}."
