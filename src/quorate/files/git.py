"""Runs the git executable safely: nothing in a repository can make it run or redirect anything else.

Argument lists only, never a shell; a reduced environment; no pager, hooks, monitors, locks, prompts or network; a limit
on time and on output. There are two environments: `in_repository`, where names are resolved and the user's own
configuration applies (it says which folders are trusted), and `in_private`, where only our configuration exists.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer

from quorate.core.errors import InputError

MOST_SECONDS = 120
MOST_OUTPUT = 64_000_000
"""Bytes that one call of git may print."""
MOST_COMPLAINT = 2_000

_PLAIN = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
_USERS_OWN = ("HOME", "XDG_CONFIG_HOME", "USERPROFILE", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Where the user's own configuration stands. All other `GIT_*` variables of the caller are left behind."""
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.quotePath=true",
    "core.pager=cat",
    "color.ui=false",
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "log.showSignature=false",
    "submodule.recurse=false",
)


class GitFailed(InputError):
    """Git ended with an error; `complaint` is its message."""

    def __init__(self, command: str, code: int, complaint: str) -> None:
        self.code, self.complaint = code, complaint
        first = complaint.strip().splitlines()[0] if complaint.strip() else f"it ended with {code}"
        super().__init__(f"git {command} failed: {printable(first)}")


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one folder with one environment."""

    folder: Path
    environment: Mapping[str, str]

    @classmethod
    def in_repository(cls, folder: Path) -> Git:
        """Return git with the user's configuration, in a folder that may belong to a hostile repository."""
        return cls(folder, _environment(_USERS_OWN))

    @classmethod
    def in_private(cls, git_dir: Path) -> Git:
        """Return git in a directory of our own, isolated from all other configuration."""
        own = {"GIT_DIR": git_dir, "HOME": git_dir, "XDG_CONFIG_HOME": git_dir, "GIT_CONFIG_GLOBAL": os.devnull}
        fixed = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": str(git_dir.parent)}
        return cls(git_dir, {**_environment(()), **{name: str(path) for name, path in own.items()}, **fixed})

    def run(self, *arguments: str, given: Iterable[bytes] = (), most: int = MOST_OUTPUT) -> bytes:
        """Return git's output; InputError on failure, timeout or too much output."""
        with TemporaryFile() as stdin, TemporaryFile() as stderr:
            for part in given:
                stdin.write(part)
            stdin.seek(0)
            late = False

            def stop() -> None:
                nonlocal late
                late = True
                process.kill()

            with self._start(arguments, stdin=stdin.fileno(), stderr=stderr.fileno()) as process:
                timer = Timer(MOST_SECONDS, stop)
                timer.start()
                try:
                    assert process.stdout is not None
                    printed = process.stdout.read(most + 1)
                    if len(printed) > most:
                        process.kill()
                    code = process.wait()
                finally:
                    timer.cancel()
                    process.kill()
            if len(printed) > most:
                raise InputError(
                    f"the change is larger than {most:,} bytes", expected="fewer files: narrow it by paths"
                )
            if late:
                raise InputError(f"git {arguments[0]} took longer than {MOST_SECONDS} seconds", expected="fewer files")
            if code:
                stderr.seek(0)
                raise GitFailed(arguments[0], code, stderr.read(MOST_COMPLAINT).decode(errors="replace"))
        return printed

    def serve(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start a git process that answers line by line until its input is closed."""
        return self._start(arguments, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def _start(self, arguments: Iterable[str], stdin: int, stderr: int) -> subprocess.Popen[bytes]:
        options = [part for setting in _SETTINGS for part in ("-c", setting)]
        command = [executable(), "--no-pager", "--no-optional-locks", "--literal-pathspecs", *options, *arguments]
        return subprocess.Popen(  # noqa: S603 - an argument list, an absolute program, an environment of our own
            command, cwd=self.folder, env=dict(self.environment), stdin=stdin, stdout=subprocess.PIPE, stderr=stderr
        )


def printable(text: str) -> str:
    """Escape everything unprintable in a text, for use in a message."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _environment(kept: Iterable[str]) -> dict[str, str]:
    environment = {name: os.environ[name] for name in (*_PLAIN, *kept) if name in os.environ}
    fixed = {
        "LC_ALL": "C",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    return environment | fixed


def executable() -> str:
    """Return the path of git, never one that the repository under review provides."""
    # A relative entry of PATH would find a `git` that the repository under review brings along.
    folders = [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
    found = shutil.which("git", path=os.pathsep.join(folders))
    if found is None:
        raise InputError("the program git was not found", expected="git on PATH")
    return found
