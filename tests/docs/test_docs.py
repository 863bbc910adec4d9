"""The documentation is true: its examples run, its files load, its tables are what the code says, its links lead on."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from quorate import api, catalog
from quorate import exit_codes as exits
from quorate.cli.main import SECTIONS, cli
from quorate.config import read_config
from quorate.files.yaml import load
from quorate.kit.settings import describe
from quorate.participants.panel import load_panel
from quorate.participants.script import load_script
from quorate.protocols.debate.rules.model import ROLES
from quorate.runtime.budget import Budget
from tests.docs import book
from tests.docs.book import ALL, PAGES, ROOT, Block, agrees, blocks, commands, play

GENERATE: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "generate.py"))
EVERYBODY = (*ROLES, "judge", "person")
LANGUAGES = {"console", "yaml", "python", "text", "mermaid", "markdown", "toml", "json"}
KINDS = {"panel", "script", "settings", "answers", "other"}
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def of(language: str) -> list[Block]:
    return [block for block in ALL if block.language == language]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


WITH_COMMANDS = [page for page in PAGES if any(b.language == "console" and not b.skipped for b in blocks(page))]


# Examples run


def test_the_commands_of_the_readme_do_what_it_says(tmp_path: Path) -> None:
    _follow(ROOT / "README.md", tmp_path, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS, ids=named)
def test_every_command_does_what_its_page_says(page: Path, tmp_path: Path) -> None:
    _follow(page, tmp_path, slow=True)


def _follow(page: Path, folder: Path, *, slow: bool) -> None:
    played = play(page, folder, slow=slow)
    for number, one in enumerate(played):
        told = f"{one.command.block}: $ {one.command.text}\nended with {one.code} and printed\n{one.printed}"
        asks_for_code = number + 1 < len(played) and played[number + 1].command.text == "echo $?"
        assert one.code == 0 or asks_for_code, told
        assert not one.command.prints or agrees(one.command.prints, one.printed), told


@pytest.mark.parametrize("block", of("console"), ids=str)
def test_commands_that_are_not_run_say_why(block: Block) -> None:
    assert commands(block)
    assert not block.note.startswith("not run") or block.note.removeprefix("not run:").strip()


@pytest.mark.parametrize("block", of("yaml"), ids=str)
def test_every_yaml_example_loads(block: Block, tmp_path: Path) -> None:
    assert len(block.words) == 2, f"{block} does not say of which kind it is"
    assert block.words[1] in KINDS
    book.write_files(tmp_path, [*(b for b in blocks(block.page) if b.title), *book.files_before(block.page)])
    file = tmp_path / (block.title or "example.yaml")
    file.write_text(block.body, encoding="utf-8")
    match block.words[1]:
        case "panel":
            panel = load_panel(file, EVERYBODY, env={})
            panel.check(catalog.build("debate", {"agents": list(ROLES)}))
        case "script":
            protocol = catalog.build("debate", {"agents": list(ROLES)})
            script = load_script(file)
            script.check(EVERYBODY, [name for name in protocol.briefs if "/" not in name], tuple(protocol.domains))
            assert script.seats
        case "settings":
            config = read_config([file], {}, [])
            assert config.values
            for name in catalog.definitions():
                catalog.build(name, config.protocol(name), own={"roles/lawyer": "A role of the user's own."})
        case _:
            assert load(file).plain()


@pytest.mark.parametrize("block", of("python"), ids=str)
def test_every_python_example_runs_or_stands_in_a_file_that_is_tested(block: Block, tmp_path: Path) -> None:
    source = next((word.removeprefix("from=") for word in block.words if word.startswith("from=")), None)
    if source is not None:
        assert block.body in (ROOT / source).read_text(encoding="utf-8"), f"{block} is not in {source}"
    elif block.title:
        run_by = [c.text for b in blocks(block.page) if b.language == "console" for c in commands(b)]
        assert f"python {block.title}" in run_by, f"{block} is never run on its page"
    else:
        subprocess.run([sys.executable, "-c", block.body], cwd=tmp_path, check=True, timeout=60)


@pytest.mark.parametrize("block", ALL, ids=str)
def test_every_block_has_a_language_that_says_how_it_is_checked(block: Block) -> None:
    assert block.language in LANGUAGES, f"{block}: {block.language!r}"
    if block.language == "text":
        assert not re.search(r"^\$ quorate", block.body, re.MULTILINE) or block.note, f"{block} hides a command"


def test_a_page_that_says_something_else_is_caught() -> None:
    printed = "session debate-20261115-200138-7d83\n20:01:38 asked\n20:01:39 replied in 1.2 s with 1,200 tokens\nend\n"
    assert agrees("session debate-20260101-000000-0000\n00:00:00 asked\n...\nend\n", printed)
    assert agrees("...\n00:00:00 replied with 7 tokens\nend\n", printed)
    assert agrees("session ...\n...\n", printed)
    assert not agrees("session ...\n", printed), "lines are missing"
    assert not agrees("...\n00:00:00 refused\nend\n", printed)
    assert not agrees("...\nreplied with 7 tokens\nend\n", printed)


# What the code knows


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_generated_parts_are_what_the_code_says(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert GENERATE["renewed"](text) == text, "run: python docs/generate.py"


def test_every_generated_part_stands_somewhere() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert all(f"<!-- generated: {name} -->" in text for name in GENERATE["PARTS"])


@pytest.mark.parametrize("command", ["", *(name for names in SECTIONS.values() for name in names)])
def test_the_reference_shows_the_help_that_the_program_prints(command: str) -> None:
    words = [*([command] if command else []), "--help"]
    ended = CliRunner().invoke(cli, words, prog_name="quorate", terminal_width=78)  # as in a window of 80 columns
    assert ended.exit_code == 0
    assert ended.output.strip() in (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    classes: list[type[Any]] = [Budget, *(found.settings for found in api.protocols())]
    for settings in classes:
        assert all(f"| `{setting.key}` |" in text for setting in describe(settings))
    for name in ("QUORATE_OFFLINE", "QUORATE_DEBUG", "QUORATE_STORE", "QUORATE_PANEL", "QUORATE_MODEL", "QUORATE_KEY_"):
        assert name in text


def test_every_exit_code_is_documented_with_its_verdict() -> None:
    text = (ROOT / "docs/reference/exit-codes.md").read_text(encoding="utf-8")
    assert {code for name, code in vars(exits).items() if name.isupper()} == set(codes())
    for code in {0, 2, 3, *codes()}:
        assert len(re.findall(rf"^\| {code} \|", text, re.MULTILINE)) == 1, code
    for code, says in codes().items():
        assert f"{says[0].lower()}{says[1:].rstrip('.')}" in text, code
    for found in api.protocols():
        for verdict, code in catalog.build(found.name).exit_codes.items():
            assert f"| {found.name} | {verdict.name} | {code} |" in text


def test_every_guarantee_names_the_tests_that_run_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = text.partition("| guaranteed |")[2].partition("\n\n")[0].splitlines()[2:]
    assert len(rows) == 8
    for row in rows:
        tests = re.findall(r"`(tests/[^`]+\.py)::(test_\w+)`", row.split(" | ")[-1])
        assert tests, f"names no test: {row}"
        for file, name in tests:
            body = ast.parse((ROOT / file).read_text(encoding="utf-8")).body
            functions = {each.name for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert name in functions, f"{file} has no {name}"


def test_every_exit_code_is_written_in_one_place() -> None:
    again = [
        f"{file.relative_to(ROOT)}:{each.lineno}"
        for file in (ROOT / "src/quorate").rglob("*.py")
        if file != Path(exits.__file__)
        for each in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, int)
        for name in each.targets
        if isinstance(name, ast.Name) and (name.id.startswith("EXIT_") or hasattr(exits, name.id))
    ]
    assert again == []


def codes() -> dict[int, str]:
    """Return what each generic exit code means, by its docstring."""
    return dict(GENERATE["exit_codes"]())


def test_every_command_is_used_in_an_example_that_runs() -> None:
    run = [c.text for block in of("console") if not block.skipped for c in commands(block)]
    for names in SECTIONS.values():
        for name in names:
            assert any(re.search(rf"\bquorate\b[^|]* {name}\b|\bquorate {name}\b", text) for text in run), name


def test_every_rule_and_role_that_a_page_names_exists() -> None:
    rules = (ROOT / "src/quorate/protocols/debate/RULES.md").read_text(encoding="utf-8")
    for page in PAGES:
        for rule in re.findall(r"\brules? (D\d+)", page.read_text(encoding="utf-8")):
            assert f"| {rule} |" in rules, f"{named(page)} names {rule}"
    roles = (ROOT / "docs/how-to/add-a-role.md").read_text(encoding="utf-8")
    assert all(f"`{role}`" in roles for role in ROLES)


def test_every_dependency_has_a_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    names = {re.split(r"[\[><=]", requirement)[0] for requirement in wanted}
    part = (ROOT / "docs/why.md").read_text(encoding="utf-8").partition("## Dependencies")[2].partition("\n## ")[0]
    reasons = {name for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE) for name in re.findall(r"`(.+?)`", row)}
    assert reasons == names


# Links


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for link in LINK.findall(text):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{named(page)} links to {link}"
        assert not anchor or anchor in _anchors(target), f"{named(page)} links to {link}"


def test_every_page_can_be_reached_from_the_index() -> None:
    reached, to_read = set[Path](), [ROOT / "README.md"]
    while to_read:
        page = to_read.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        links = LINK.findall(page.read_text(encoding="utf-8"))
        to_read += [(page.parent / link.partition("#")[0]).resolve() for link in links if not link.startswith("http")]
    assert set(PAGES) <= reached


NAMED = re.compile(r"`(\w+)(?:\([^`]*\))?` of `(quorate(?:\.\w+)+)`")
"""How a page says in words where a name is imported from."""


def _imports(page: Path) -> set[tuple[str, str]]:
    """Every name that a page imports from Quorate, in an example or in words, with its module."""
    found = {(module, name) for name, module in NAMED.findall(" ".join(page.read_text(encoding="utf-8").split()))}
    for block in (each for each in blocks(page) if each.language == "python"):
        for node in ast.walk(ast.parse(textwrap.dedent(block.body))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0].startswith("quorate"):
                found |= {(node.module or "", each.name) for each in node.names}
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if _imports(page)], ids=named)
def test_every_name_can_be_imported_from_where_its_page_says(page: Path) -> None:
    for module, name in sorted(_imports(page)):
        assert hasattr(importlib.import_module(module), name), f"{name} of {module}"


def test_names_that_are_told_in_words_alone_are_looked_at_too() -> None:
    assert ("quorate.protocols.council", "draw_modes") in _imports(ROOT / "docs" / "reference" / "council.md")
