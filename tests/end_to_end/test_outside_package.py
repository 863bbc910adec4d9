"""A package of somebody else, installed: its protocol is found, run, proven, attacked and offered like those that come
along, and nothing of the product knows it.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from tests.cli.shell import Ran, Shell, session_of
from tests.docs.book import blocks
from tests.end_to_end.conftest import OUTSIDE as SOURCE
from tests.mcp.assistant import Project
from tests.support.installed import site_of
from tests.support.server import served

ROOT = Path(__file__).parents[2]
MODULES = sorted((SOURCE / "dependencies").glob("*.py"))
ACCEPTING = {"assess": {"reason": "It is needed.", "opinion": "accepted"}}
REJECTING = {"assess": {"reason": "It is not needed.", "opinion": "rejected"}}
CLEAN = {"screen": {"findings": [], "new": 1}}
SECRET = "ghp_" + "k3Jq9ZtR7mVb2XcL8nWd4YsF6hTg1PaQ0eUi"


def panel(shell: Shell, **seats: Any) -> tuple[str, ...]:
    (shell.folder / "said.yaml").write_text(json.dumps({"seats": seats}))
    (shell.folder / "seated.yaml").write_text(json.dumps({"script": "said.yaml"}))
    return "--panel", "seated.yaml"


def accepted(shell: Shell) -> tuple[str, ...]:
    return panel(shell, security=ACCEPTING, maintainer=ACCEPTING)


def screened(shell: Shell, text: str, *more: str) -> Ran:
    (shell.folder / "new.txt").write_text(text)
    return shell.run("dependencies", "new.txt", *accepted(shell), "--no-input", "--json", *more)


# The package


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_it_imports_one_module_of_the_product(module: Path) -> None:
    for each in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(each, ast.ImportFrom) and (each.module or "").partition(".")[0] == "quorate":
            names = {alias.name for alias in each.names}
            assert each.module == "quorate.authoring" or (each.module == "quorate" and names == {"authoring"})
        assert not isinstance(each, ast.Import) or not any(alias.name.startswith("quorate") for alias in each.names)


def test_it_is_short_enough_to_be_read_and_copied() -> None:
    lines = [line for path in MODULES for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) <= 340


def test_nothing_of_the_product_knows_it() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        assert "quorate-dependencies" not in path.read_text(encoding="utf-8")
        assert "DEPENDENCIES.md" not in path.read_text(encoding="utf-8")


def test_every_rule_is_cited_by_the_code() -> None:
    rules = [f"P{number}" for number in range(1, 12)]
    text = "".join(path.read_text(encoding="utf-8") for path in MODULES)
    told = (SOURCE / "dependencies" / "RULES.md").read_text(encoding="utf-8")
    assert all(f"| {rule} |" in told and (f'"{rule}"' in text or f"({rule})" in text) for rule in rules)


def test_the_page_shows_it_as_it_is() -> None:
    page = ROOT / "docs" / "how-to" / "own-package.md"
    (shown,) = (block.body for block in blocks(page) if block.title == "pyproject.toml")
    assert shown == (SOURCE / "pyproject.toml").read_text(encoding="utf-8")


# The command line


def test_it_is_found_in_its_own_environment_alone(outside: Shell) -> None:
    assert "\ndependencies " in outside.run("protocols").out
    assert "\ndependencies " not in Shell(outside.folder).run("protocols").out


def test_its_command_is_listed_and_helps(outside: Shell) -> None:
    listed = outside.run("--help").out
    assert "  dependencies  Approve new third-party dependencies of a project.\n" in listed
    assert "quorate dependencies requirements.txt --before old/requirements.txt" in listed
    told = outside.run("dependencies", "--help").out
    assert told.startswith("Usage: quorate dependencies [OPTIONS] AFTER")
    assert "Examples:\n  quorate dependencies requirements.txt" in told
    assert "dependencies  Code screens new dependencies" in outside.run("protocols").out


def test_a_whole_session_with_the_word_of_its_owner(outside: Shell) -> None:
    document = outside.folder / "DEPENDENCIES.md"
    document.write_text("# What we use\n\nMine.")
    ran = outside.run(
        "dependencies", "requirements.txt", "--before", "before.txt", "--panel", "panel.yaml", "--no-input"
    )
    assert ran.code == 4, ran.err
    assert "1 new, 0 gone" in ran.err
    assert document.read_text() == "# What we use\n\nMine.", "nothing is written before it has ended"
    session = session_of(ran)
    said = ("--set", "opinion=accepted", "--set", "reason=Three calls grow to thirty.")
    ran = outside.run("answer", "latest", *said, "--resume")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "Verdict: APPROVED")
    assert "merged into DEPENDENCIES.md" in ran.err
    text = document.read_text()
    assert text == (
        f"# What we use\n\nMine.\n\n<!-- {session} -->\n## APPROVED: 1 new\n\n    requests==2.32.3\n\n"
        "- security: accepted. Widely used and signed by known maintainers.\n"
        "- maintainer: rejected. urllib would do for three calls.\n"
        "- owner: accepted. Three calls grow to thirty.\n"
    )
    assert "there already: DEPENDENCIES.md" in outside.run("resume", "latest").err
    assert document.read_text() == text, "doing it twice is harmless"
    assert "P6   nothing else applied: held [SPLIT]" in outside.run("explain", "latest").out
    told = outside.run("report", "latest").out
    assert told.index("\n## What became of what was said\n") == told.index("\n## ")
    assert (
        "| A-maintainer | assessment | maintainer | urllib would do for three calls. | put to the owner | P6 |" in told
    )
    assert "A-owner (assessment of owner): decides (P8 P9)" in outside.run("explain", "latest").out
    assert [each["id"] for each in json.loads(outside.run("show", "latest", "--json").out)["fates"]] == [
        *("A-security", "A-maintainer", "A-owner")
    ]
    assert outside.run("replay", "latest").code == 0
    (outside.folder / "bundle.json").write_text(outside.run("report", "latest", "--format", "json").out)
    assert outside.run("check", "bundle.json").code == 0


FAULTS = [
    ("requests", "unpinned"),
    ("requests>=2", "unpinned"),
    ("requests==2.*", "unpinned"),
    ("left_pad==1.0", "denied"),
    ("reqeusts==2.32.3", "lookalike"),
    ("request==2.32.3", "lookalike"),
    ("requestss==2.32.3", "lookalike"),
    ("rewuests==2.32.3", "lookalike"),
    ("git+https://example.org/x.git", "not from the index"),
    ("x @ https://example.org/x.whl", "not from the index"),
    ("--extra-index-url https://example.org", "not from the index"),
]


def test_what_the_screen_proves_nobody_votes_away(outside: Shell) -> None:
    ran = screened(outside, "\n".join(("click==8.2.1", *dict(FAULTS))), "--set", "denied=[Left.Pad]")
    assert (ran.code, ran.json()["verdict"]) == (1, "REFUSED"), ran.err
    (said,) = ran.json()["result"]["said"]
    assert said["reply"]["findings"] == [{"requirement": line, "fault": fault} for line, fault in FAULTS]


def test_what_is_sound_is_approved_by_both(outside: Shell) -> None:
    lines = 'requests[socks]==2.32.3 ; python_version > "3.10"\nrich==14.0.0 \\\n  --hash=sha256:00\n# a remark\n'
    ran = screened(outside, lines)
    assert (ran.code, ran.json()["verdict"]) == (0, "APPROVED"), ran.err
    (outside.folder / "pyproject.toml").write_text('[project]\ndependencies = ["rich==14.0.0"]\n')
    ran = outside.run("dependencies", "pyproject.toml", *accepted(outside), "--no-input", "--json")
    assert (ran.code, ran.json()["verdict"]) == (0, "APPROVED"), ran.err


def test_a_panel_that_names_the_screen_is_refused(outside: Shell) -> None:
    seats = {"security": ACCEPTING, "maintainer": ACCEPTING, "screen": CLEAN}
    ran = outside.run("dependencies", "requirements.txt", *panel(outside, **seats), "--no-input")
    assert ran.code == 65
    assert "seat 'screen' is reserved" in ran.err
    assert "a panel that does not name this seat" in ran.err


@pytest.mark.parametrize("seated", [("--model", "script:every.yaml"), ("--panel", "every-panel.yaml")], ids=str)
def test_the_owner_is_a_person_whoever_sits_everywhere_else(outside: Shell, seated: tuple[str, ...]) -> None:
    accepting = {"decide": ACCEPTING["assess"]}
    (outside.folder / "every.yaml").write_text(json.dumps({"seats": {"*": {**REJECTING, **accepting}}}))
    (outside.folder / "every-panel.yaml").write_text(json.dumps({"script": "every.yaml"}))
    ran = outside.run("dependencies", "requirements.txt", *seated, "--no-input")
    assert ran.code == 4, ran.err
    assert "waiting for owner" in ran.err


def test_a_secret_reaches_nobody(outside: Shell) -> None:
    ran = screened(outside, f"requests==2.32.3\n-i https://bot:{SECRET}@example.org\n", "--why", f"token {SECRET}")
    assert ran.code == 1, ran.err
    assert SECRET not in ran.out + ran.err + (outside.folder / "DEPENDENCIES.md").read_text()
    assert SECRET.encode() not in b"".join(path.read_bytes() for path in outside.folder.rglob("*.db*"))


def test_what_is_wrong_is_told_by_its_option(outside: Shell) -> None:
    ran = outside.run("dependencies", "requirements.txt", "--before", "gone.txt", *accepted(outside))
    assert (ran.code, "--before: 'gone.txt' is not a file" in ran.err) == (64, True)
    (outside.folder / "empty.txt").write_text("# nothing\n")
    ran = outside.run("dependencies", "empty.txt", *accepted(outside))
    assert (ran.code, "--after: requires nothing" in ran.err) == (64, True)
    (outside.folder / "pyproject.toml").write_text("[project]\ndependencies = 3\n")
    ran = outside.run("dependencies", "pyproject.toml", *accepted(outside))
    assert (ran.code, "pyproject.toml: cannot be read" in ran.err) == (65, True)


# Proven and attacked


def test_it_is_proven(outside: Shell) -> None:
    ran = outside.run("verify", "dependencies")
    assert ran.code == 0, ran.out
    assert "dependencies: all nine results hold" in ran.out
    assert "2 invariants at" in ran.out


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("Outcome.PROVEN: Phase.REFUSED", "Outcome.PROVEN: Phase.ASSESSING"),
        ('"==", len(REVIEWERS)', '">=", 1'),
    ],
)
def test_a_planted_defect_is_found_by_its_invariants(outside: Shell, right: str, wrong: str) -> None:
    module = site_of(outside.folder.parent / "environment") / "dependencies" / "protocol.py"
    text = module.read_text()
    assert text.count(right) == 1
    module.write_text(text.replace(right, wrong))
    ran = outside.run("verify", "dependencies")
    assert ran.code == 1
    assert "5. the protocol's invariants hold: failed" in ran.out


def test_it_is_attacked(outside: Shell) -> None:
    ran = outside.run("redteam", "dependencies", "--json")
    assert ran.code == 0, ran.err
    told = outside.run("redteam", "dependencies").out
    assert "sound change" in told
    assert "attack success: 0 of" in told
    assert "0 with the wrong verdict" in told
    assert "held in every case" in told


# The other surfaces


def test_http_and_the_page_offer_it(outside: Shell) -> None:
    with (
        served(outside.folder, "memory:", python=outside.python) as address,
        urlopen(f"{address}/api/protocols") as answer,
    ):
        known = {each["name"]: each for each in json.load(answer)}
    assert known["dependencies"]["title"].startswith("Code screens new dependencies")


async def test_an_assistant_opens_it_with_a_tool_of_its_own(outside: Shell) -> None:
    accepted(outside)
    (outside.folder / "quorate.yaml").write_text(json.dumps({"panel": "seated.yaml"}))
    async with Project(outside).assistant() as assistant:
        tools = {each.name: each for each in (await assistant.client.list_tools()).tools}
        assert "screened by code" in (tools["open_dependencies"].description or "")
        opened = await assistant.call("open_dependencies", after="requirements.txt", before="before.txt")
        told = await assistant.until(opened["session"], "verdict")
    assert (told["verdict"], told["exit_code"]) == ("APPROVED", 0)
    assert "## APPROVED: 1 new" in (outside.folder / "DEPENDENCIES.md").read_text()


def test_a_fork_leaves_the_document_alone(outside: Shell) -> None:
    ran = screened(outside, "requests==2.32.3\n")
    before = (outside.folder / "DEPENDENCIES.md").read_text()
    forked = outside.run("fork", ran.json()["session"], "--at", "1", *accepted(outside), "--no-input")
    assert forked.code == 0, forked.err
    assert [each["verdict"] for each in outside.run("list", "--json").json()] == ["APPROVED"] * 2
    assert (outside.folder / "DEPENDENCIES.md").read_text() == before
