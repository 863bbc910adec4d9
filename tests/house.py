"""The house in numbers: `python -m tests.house` prints them, `--write` puts them into ARCHITECTURE.md.

`python -m tests.house DIR` counts another checkout by the same measures, `--before` the last commit before the move.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PROTOCOLS = ("council", "debate", "review", "roundtable", "workshop")
READING = (
    *("core/types.py", "core/decisions.py", "core/forms.py", "core/protocol.py", "core/session.py", "core/engine.py"),
    *("protocols/debate/rules/model.py", "protocols/debate/rules/protocol.py"),
)
"""What one reads to know the engine and one protocol, in this order."""
ROOTS = {
    "quorate.cli.main": "the program",
    "quorate.authoring": "the public module of authors",
    "quorate.store.conformance": "the suite that whoever writes a store runs",
    "quorate.simulate.stop_rules": "for researchers: docs/how-to/save-tokens.md computes with it",
    "quorate_verifier.__main__": "a program of its own",
}
"""Where reaching begins, beside what entry points, definitions and tables of lazy names refer to."""
_RULES = r"^quorate\.protocols\.\w+\.(rules\.)?"
AGAIN = re.compile(rf"{_RULES}(recount|redraw|retally|remaking|restaging|reharvest|sheet)$")
"""Modules of a protocol's rules that compute a second time what a rule decides; the oracles in `tests/` do that."""
INVARIANTS = re.compile(rf"{_RULES}(\w*invariants\w*|\w*promises)$")
"""Modules that state what holds of every move, which `verify` proves."""
FROZEN = re.compile(r"\.version_\d+(\.|$)")
"""An earlier version of a protocol: only what reads its sessions, and nobody changes it."""
_ANY = "|".join(PROTOCOLS)
NAMED = re.compile(
    rf"^({_ANY})$|[`'\"]({_ANY})[`'\"]|\b(open_|quorate )({_ANY})\b|\b({_ANY})(\.[a-z]|, ({_ANY})\b)"
    rf"|\b({'|'.join(name for name in PROTOCOLS if name != 'review')})s?\b",
    re.IGNORECASE,
)
"""A text that names a protocol: alone, quoted, as a tool, command or setting, in a list, or as a word.

"Review" is a word of plain English too, which does not count by itself.
"""
IN_SCRIPTS = re.compile(rf"[`'\"]({_ANY})[`'\"]|\b({_ANY})\b *:|\.({_ANY})\b")
"""The same in a script of the page: a text, the key of a table, or what is looked up in one."""
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"`])//[^\n]*", re.DOTALL)
LARGEST = 300
_REFERENCE = re.compile(r'"(quorate(?:_verifier)?(?:\.\w+)+):\w+"')
DEBATE = """\
import sys
from quorate.cli.main import cli
try:
    cli(["--store", "memory:", "debate", "What?", "--panel", *sys.argv[1:], "--seed", "1", "--no-input"])
except SystemExit:
    pass
print(*(name for name in sys.modules if name == "quorate" or name.startswith("quorate.")), file=sys.stderr)
"""


@dataclass(frozen=True)
class House:
    """The modules of a checkout, and what can be counted of them."""

    root: Path

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Return every module of the product by its dotted name, without the frozen ones."""
        return {name: path for name, path in self.everything.items() if not FROZEN.search(name)}

    @cached_property
    def everything(self) -> dict[str, Path]:
        """Return every module by its dotted name, those of earlier versions of protocols included."""
        source = self.root / "src"
        found = sorted(source.rglob("*.py"))
        return {
            ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path for path in found
        }

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """Return the parsed source of every module."""
        return {name: ast.parse(self.text(name)) for name in self.modules}

    def text(self, name: str) -> str:
        return self.modules[name].read_text(encoding="utf-8")

    def lines(self, name: str) -> int:
        """Return how many lines a module has."""
        return len(self.text(name).splitlines())

    def reading_path(self) -> int:
        """Return how many lines one reads to know the engine and one protocol, blank ones not counted."""
        house = self.root / "src" / "quorate"
        paths = (house / name for name in READING)
        texts = ((path if path.exists() else path.parents[1] / path.name).read_text(encoding="utf-8") for path in paths)
        return sum(bool(line.strip()) for text in texts for line in text.splitlines())

    def large_files(self) -> dict[str, int]:
        """Return the modules that have more lines than they should."""
        return {name: self.lines(name) for name in self.modules if self.lines(name) > LARGEST}

    def knowing(self) -> list[str]:
        """Return modules outside of a protocol's folder, and scripts of the page, that import it or name it in code."""
        found = self.importing()
        for name in self.modules:
            if not name.startswith(("quorate.protocols.", "quorate_verifier")) and name not in found:
                if any(map(_names_a_protocol, _said_by_code(self.trees[name]))):
                    found.append(name)
        for script in sorted((self.root / "src" / "quorate" / "web").rglob("*.js")):
            if IN_SCRIPTS.search(_COMMENT.sub("", script.read_text(encoding="utf-8"))):
                found.append(str(script.relative_to(self.root / "src" / "quorate")))
        return found

    def importing(self) -> list[str]:
        """Return modules outside of a protocol's folder that import it."""
        outside = (name for name in self.modules if not name.startswith(("quorate.protocols.", "quorate_verifier")))
        return [name for name in outside if any(each.startswith("quorate.protocols.") for each in self.imports[name])]

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Return the modules that each module imports, wherever the import stands."""
        return {name: self._imports(name) for name in self.modules}

    def _imports(self, name: str) -> set[str]:
        found: set[str] = set()
        for node in ast.walk(self.trees[name]):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    found.add(full if full in self.modules else node.module)
            elif isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
        return found

    def unreached(self) -> list[str]:
        """Return modules that no program, entry point, definition or table of lazy names leads to."""
        todo = [name for name in ROOTS if name in self.modules]
        todo += _REFERENCE.findall((self.root / "pyproject.toml").read_text(encoding="utf-8"))
        seen: set[str] = set()
        while todo:
            name = todo.pop()
            if name in seen or name not in self.modules:
                continue
            seen.add(name)
            todo += self.imports[name]
            todo += _REFERENCE.findall(self.text(name))
            todo += self._lazy(name)
            todo += [name.rpartition(".")[0]]
        return sorted(set(self.modules) - seen)

    def _lazy(self, name: str) -> list[str]:
        """What tables of a module name: modules beside it, or rooms of the package."""
        package = name if self.modules[name].name == "__init__.py" else name.rpartition(".")[0]
        words = {word.partition(":")[0] for word in _words(self.trees[name])}
        beside = [f"{package}.{word}" for word in words if f"{package}.{word}" in self.modules]
        return beside + [f"quorate.{word}" for word in words if f"quorate.{word}" in self.modules]

    def fitting(self) -> dict[str, str]:
        """Return the modules with one importer that together would be no large file, by that importer."""
        importers: dict[str, set[str]] = defaultdict(set)
        for name in self.modules:
            for imported in self.imports[name]:
                importers[imported].add(name)
        found = {}
        for name, path in self.modules.items():
            (importer, *more) = importers[name] or {""}
            if more or not importer or "__init__.py" in (path.name, self.modules[importer].name):
                continue
            if self.lines(name) + self.lines(importer) <= LARGEST:
                found[name] = importer
        return found

    def thin(self) -> dict[str, str]:
        """Return those of them that stand in one room with their importer, which does not just put parts together."""
        return {
            name: importer
            for name, importer in self.fitting().items()
            if room(name) == room(importer) and not _puts_together(importer) and name.startswith("quorate.")
        }

    def verbs(self) -> list[str]:
        """Return modules that are named by a gerund or a participle."""
        named = (name for name in self.modules if name.startswith("quorate."))
        return [name for name in named if re.search(r"(ing|ed)$", name.rpartition(".")[2])]

    def classes(self) -> dict[str, list[tuple[str, str]]]:
        """Return by its name every public class: its module, and the namespace that it stands in."""
        found: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for name in self.modules:
            for node in self.trees[name].body if not name.startswith("quorate_verifier") else ():
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append((name, _space(name, node)))
        return found

    def words(self) -> dict[str, str]:
        """Return by the name that a class of it would have every word of the glossary: the module that it names."""
        found = {}
        for line in (self.root / "GLOSSARY.md").read_text(encoding="utf-8").splitlines():
            if match := re.fullmatch(r"\| ([^|]+) \| (.*) \|", line):
                anchor = next((f"quorate.{each}".replace("/", ".") for each in ANCHOR.findall(match[2])), "")
                for word in match[1].split(", "):
                    found["".join(part.capitalize() for part in word.split())] = anchor
        return found

    def others_of_a_word(self) -> dict[str, str]:
        """Return the public classes that have the name of a word of the glossary, and may be something else."""
        found = {}
        classes = self.classes()
        for word, anchor in self.words().items():
            thing = re.escape(anchor) if anchor else HOMES.get(word, r"quorate\.(core|kit)\.\w+")
            for module, space in classes.get(word, ()):
                if not re.fullmatch(thing, module) and not space.startswith(CARRYING):
                    found[f"{module}.{word}"] = word
        return found

    def lines_of(self, pattern: re.Pattern[str]) -> int:
        """Return how many lines the modules have whose names match."""
        return sum(self.lines(name) for name in self.modules if pattern.search(name))

    def invariants(self) -> dict[str, int]:
        """Return how many lines each function has that states an invariant, or a part of one."""
        found = {}
        for name in filter(INVARIANTS.search, self.modules):
            for each in self.trees[name].body:
                if isinstance(each, ast.FunctionDef) and each.name != "invariants":
                    found[f"{name}.{each.name}"] = (each.end_lineno or each.lineno) - each.lineno + 1
        return found

    def loaded_for_a_debate(self, *options: str, seats: str = "{}") -> list[str]:
        """Return the modules of ours that a debate with scripts loads; `seats` are those that its panel names."""
        with tempfile.TemporaryDirectory() as folder:
            panel = Path(folder) / "panel.yaml"
            panel.write_text(f"script: {self.root / 'examples' / 'replies.yaml'}\nseats: {seats}\n", encoding="utf-8")
            code = f"import sys; sys.path.insert(0, {str(self.root / 'src')!r})\n{DEBATE}"
            command = [sys.executable, "-c", code, str(panel), *options]
            ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        return ran.stderr.splitlines()[-1].split()

    def figures(self) -> dict[str, str]:
        """Return what the table of ARCHITECTURE.md shows."""
        known = self.classes()
        alone, reports = self.loaded_for_a_debate(), self.loaded_for_a_debate("--out", "left")
        counted = {
            "lines to read for the engine and one protocol (`READING`, without blank lines)": self.reading_path(),
            "modules outside protocols/ that import one": len(self.importing()),
            "modules and scripts outside protocols/ that import one, or name one in a text": len(self.knowing()),
            "modules loaded for a debate": len(alone),
            "the same where it writes its reports (`--out`)": len(reports),
            "lines of modules in protocols/ that decide a rule a second time (`AGAIN`)": self.lines_of(AGAIN),
            "lines of their invariants (`INVARIANTS`)": self.lines_of(INVARIANTS),
            "lines of the longest invariant": max(self.invariants().values()),
            "modules named by a gerund or participle": len(self.verbs()),
            "public class names": len(known),
            "public class names used more than once": sum(len(where) > 1 for where in known.values()),
            "public class names used twice in one namespace (`SPACES`)": sum(map(in_one_space, known.values())),
            "modules with one importer that would fit into it": len(self.fitting()),
            "the same in one room, where the importer is no list of parts (`PARTS`)": len(self.thin()),
            "modules that nothing reaches": len(self.unreached()),
            "files of more than 300 lines": len(self.large_files()),
        }
        return {name: f"{value:,}" for name, value in counted.items()}


SPACES = {
    r"quorate\.protocols\.\w+\.": "a protocol is read by itself: none imports another, and its words are its seed's",
    r"quorate\.lab\.": "experiments are read by themselves; nothing outside the lab imports their nouns",
    r"quorate\.simulate\.": "a simulation speaks of what seats believe, in the words of its literature",
}
"""Namespaces: a class may have the name of one elsewhere, since who reads the one does not have the other at hand."""
WIRE = "a message"
NOTES = "a note"
CARRYING = (WIRE, NOTES)
"""Namespaces of classes that carry a thing and so have its name: messages of HTTP, MCP and Temporal; notes."""
_OVER_THE_WIRE = re.compile(r"quorate\.(http|mcp)\.|quorate\.runtime\.durable\.messages$")
ANCHOR = re.compile(r"`([\w/]+)\.py`")
_OF_EACH_PROTOCOL = r"quorate\.(protocols\.\w+\.rules\.model|lab\.bench\.baseline)"
HOMES = {
    "Allowance": r"quorate\.exam\.candidate",
    "Artifact": r"quorate\.protocols\.workshop\.rules\.model",
    "Asking": r"quorate\.participants\.token_odds",
    "Audit": r"quorate\.protocols\.council\.audit\.deviation",
    "Calibration": r"quorate\.worth\.calibration",
    "Cell": r"quorate\.lab\.bench\.cells",
    "Check": r"quorate\.participants\.check",
    "Competence": r"quorate\.exam\.scores",
    "Elaboration": r"quorate\.protocols\.roundtable\.rules\.elaborations",
    "Election": r"quorate\.protocols\.review\.rules\.election",
    "Entry": r"quorate\.codec\.chain",
    "Focus": r"quorate\.protocols\.workshop\.rules\.forms",
    "FormTask": r"quorate\.exam\.form_tasks",
    "Gate": r"quorate\.protocols\.council\.rules\.taxonomy",
    "Halt": r"quorate\.exam\.candidate",
    "Host": r"quorate\.api\.host",
    "Hunk": r"quorate\.protocols\.review\.rules\.division",
    "Journal": r"quorate\.store\.journal",
    "Label": r"quorate\.store\.labels",
    "Lens": r"quorate\.protocols\.council\.rules\.forms",
    "Matter": r"quorate\.lab\.redteam\.material",
    "Method": r"quorate\.lab\.bench\.methods",
    "Odds": r"quorate\.participants\.token_odds",
    "OpenItem": r"quorate\.protocols\.review\.world\.checks\.receipt",
    "Outcome": _OF_EACH_PROTOCOL,
    "Panel": r"quorate\.participants\.panel",
    "Paper": r"quorate\.exam\.paper",
    "Participant": r"quorate\.participants\.port",
    "Phase": _OF_EACH_PROTOCOL,
    "Place": r"quorate\.protocols\.council\.world\.rfc\.model",
    "Relay": r"quorate\.participants\.relay",
    "Row": r"quorate\.api\.session_list",
    "Seal": r"quorate\.evidence\.seal",
    "Sitting": r"quorate\.exam\.results",
    "Stage": r"quorate\.protocols\.workshop\.rules\.strategies",
    "State": _OF_EACH_PROTOCOL,
    "Strategy": r"quorate\.protocols\.workshop\.rules\.strategies",
    "Task": r"quorate\.lab\.bench\.task",
    "Tolerance": r"quorate\.worth\.tolerance",
    "Turn": r"quorate\.protocols\.roundtable\.rules\.forms",
    "Verdict": _OF_EACH_PROTOCOL,
    "Wording": r"quorate\.participants\.token_odds",
    "Workspace": r"quorate\.workspace",
    "WorstCase": r"quorate\.verify\.bounds",
    "Worth": r"quorate\.worth\.worth",
}
"""Where the class of a word stands that the glossary gives no file for; any other is of `core/` or `kit/`."""


PARTS = (
    (r"quorate\.(http\.app|mcp\.server|cli\.drive)$", "it lists what it is put together from"),
    (r"\.(definition|lab\.trial|world\.gates\.run|world\.rfc\.read|audit\.validations|tasks)$", "likewise"),
)
"""Importers that put parts together, each a thing of its own: no part is merged into them."""


def in_one_space(where: list[tuple[str, str]]) -> bool:
    """Whether two classes of one name stand in one namespace."""
    spaces = [space for _, space in where]
    return len(spaces) != len(set(spaces))


def _space(module: str, node: ast.ClassDef) -> str:
    """Return the namespace of a class; a message is a class with a base class, which is what validates it."""
    if _OVER_THE_WIRE.match(module) and (node.bases or module.endswith(".messages")):
        return f"{WIRE} of {module.split('.')[1]}"
    if module == "quorate.watching.notes":
        return NOTES
    found = (re.match(pattern, module) for pattern in SPACES)
    return next((match.group() for match in found if match is not None), "")


def _puts_together(importer: str) -> bool:
    return any(re.search(pattern, importer) for pattern, _ in PARTS)


def room(name: str) -> str:
    """Return the package that a module stands in."""
    return name.rpartition(".")[0]


def _names_a_protocol(text: str) -> bool:
    """Whether a text of code names a protocol; the examples in the help of a command may."""
    return not text.startswith("quorate ") and NAMED.search(text) is not None


def _said_by_code(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings."""
    told = {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in told:
            yield each.value


def _words(node: ast.AST) -> Iterator[str]:
    """Yield the texts that code compares, looks up or passes on; docstrings and sentences are none."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value


HERE = House(Path(__file__).parents[1])
LAST = "f88dd2e28a2449aba26ca10d29ce3c6f2613601d"
"""The last commit before the rooms were moved into."""
BEFORE = {
    "lines to read for the engine and one protocol (`READING`, without blank lines)": "1,389",
    "modules outside protocols/ that import one": "62",
    "modules and scripts outside protocols/ that import one, or name one in a text": "109",
    "modules loaded for a debate": "438",
    "the same where it writes its reports (`--out`)": "469",
    "lines of modules in protocols/ that decide a rule a second time (`AGAIN`)": "1,939",
    "lines of their invariants (`INVARIANTS`)": "2,683",
    "lines of the longest invariant": "36",
    "modules named by a gerund or participle": "165",
    "public class names": "778",
    "public class names used more than once": "179",
    "public class names used twice in one namespace (`SPACES`)": "84",
    "modules with one importer that would fit into it": "120",
    "the same in one room, where the importer is no list of parts (`PARTS`)": "53",
    "modules that nothing reaches": "7",
    "files of more than 300 lines": "14",
}
"""What `python -m tests.house --before` counts in LAST; written down, since a copy without its history has no LAST."""


def before() -> dict[str, str] | None:
    """Return the figures of LAST, counted anew; None where the history of the repository is not at hand."""
    archive = subprocess.run(["git", "archive", LAST], cwd=HERE.root, capture_output=True, check=False)
    if archive.returncode:
        return None
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        return House(Path(folder)).figures()


def table() -> str:
    """Return the figures before and now as a table in Markdown."""
    rows = (f"| {name} | {BEFORE[name]} | {now} |" for name, now in HERE.figures().items())
    return "\n".join(("| figure | before | now |", "| --- | --- | --- |", *rows))


def write() -> None:
    """Put the table into ARCHITECTURE.md in place of the one that stands there."""
    page = HERE.root / "ARCHITECTURE.md"
    text = page.read_text(encoding="utf-8")
    page.write_text(re.sub(r"\| figure \|.*(\n\|.*)+", table(), text), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    elif len(sys.argv) > 1:
        counted = before() if sys.argv[1] == "--before" else House(Path(sys.argv[1]).resolve()).figures()
        if counted is None:
            sys.exit(f"commit {LAST} is not in this copy of the repository")
        for name, value in counted.items():
            print(f"{name}: {value}")
    else:
        print(table())
