"""A stand-in for `gh api` on one pull request, which fails as the real one does: with the error's body on stdout.

The pull request is the JSON file that $PULL names: `viewer` (whom the token is of), `may_write`, `broken` (paths that
the server has no answer for) and `comments`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

FORBIDDEN = "Resource not accessible by integration"
PAGE = 2
"""Comments to a page; few, so that every test goes through several."""


class Call:
    """One call of `gh api`: its words, and the pull request that it is about."""

    def __init__(self, words: list[str]) -> None:
        assert words.pop(0) == "api", words
        self.options: dict[str, str] = {}
        self.flags: set[str] = set()
        self.path = ""
        while words:
            word = words.pop(0)
            if word in ("--jq", "--method", "-F", "-f"):
                self.options[word] = words.pop(0)
            elif word.startswith("-"):
                self.flags.add(word)
            else:
                self.path = word
        assert not {"--jq", "--silent"} <= {*self.options, *self.flags}, "gh takes one of the two"
        self.file = Path(os.environ["PULL"])
        self.pull: dict[str, Any] = json.loads(self.file.read_text())
        self.method = self.options.get("--method", "GET")

    def answer(self) -> None:
        if any(part in self.path for part in self.pull["broken"]):
            self._fail("Server Error", 502)
        if self.path == "user":
            # A token of an installation, which the one of a workflow is, is nobody's.
            if self.pull["viewer"].endswith("[bot]"):
                self._fail(FORBIDDEN, 403)
            self._tell({"login": self.pull["viewer"]})
        elif self.path == "graphql":
            assert "viewer" in self.options["-f"]
            self._tell({"data": {"viewer": {"login": self.pull["viewer"]}}})
        elif self.method == "GET":
            assert "--paginate" in self.flags
            comments = self.pull["comments"]
            for at in range(0, max(len(comments), 1), PAGE):
                self._tell(comments[at : at + PAGE])
        else:
            self._write()

    def _write(self) -> None:
        if not self.pull["may_write"]:
            self._fail(FORBIDDEN, 403)
        name, _, source = self.options["-F"].partition("=@")
        assert name == "body"
        comments = self.pull["comments"]
        if self.method == "POST":
            login = self.pull["viewer"]
            comments.append({"id": 1000 + len(comments), "user": {"login": login}, "body": ""})
            id_ = comments[-1]["id"]
        else:
            id_ = int(self.path.rpartition("/")[2])
        written = next(each for each in comments if each["id"] == id_)
        written["body"] = Path(source).read_text()
        self._keep()
        self._tell(written)

    def _keep(self) -> None:
        self.file.write_text(json.dumps(self.pull))

    def _tell(self, value: Any) -> None:
        if "--silent" in self.flags:
            return
        text = json.dumps(value)
        if "--jq" in self.options:
            words = ["jq", "--raw-output", self.options["--jq"]]
            text = subprocess.run(words, input=text, text=True, check=True, capture_output=True).stdout
        sys.stdout.write(text)
        sys.stdout.flush()

    def _fail(self, message: str, status: int) -> NoReturn:
        """No filter is applied to the body of an error, and it goes where results go."""
        if "--silent" not in self.flags:
            print(json.dumps({"message": message, "status": str(status)}), end="")
        print(f"gh: {message} (HTTP {status})", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    Call(sys.argv[1:]).answer()
