"""Locating the parts of an RFC: in a tree with `documents/` and `evidence/`, or all in the RFC's own folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from quorate.core.errors import InputError
from quorate.protocols.council.world.rfc.files import YAML_NAMES

DOCUMENTS = (
    ("00_meta", "rfc_meta"),
    ("01_problem_and_imports", "rfc_problem_and_imports"),
    ("02_design_decisions", "rfc_design_decisions"),
    ("03_trust_boundaries", "rfc_trust_boundaries"),
    ("04_contracts_and_versioning", "rfc_contracts_and_versioning"),
    ("05_rollout_and_ops", "rfc_rollout_and_ops"),
    ("06_ticket_decomposition", "rfc_ticket_decomposition"),
    ("07_test_and_evidence", "rfc_test_and_evidence"),
    ("08_risks_and_open_questions", "rfc_risks_and_open_questions"),
    ("09_governance_and_gates", "rfc_governance_and_gates"),
)
"""The ten files without their ending, and the key at the root of each."""

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SPECIAL = frozenset({"documents", "evidence"})


def safe_name(name: str) -> bool:
    """Return whether an id read from a file is safe to use in a path or name."""
    return _SAFE.fullmatch(name) is not None and ".." not in name


@dataclass(frozen=True, slots=True)
class Layout:
    """The locations of an RFC's parts: as given by the user, else in the RFC's folder, else in the tree."""

    folder: Path
    """The RFC's folder, all links followed."""
    root: Path
    """What names of files are seen from: the tree, or the RFC's folder."""
    in_tree: bool
    given_tickets: Path | None = None
    given_prd: Path | None = None
    given_ccp: Path | None = None
    given_repo: Path | None = None

    @property
    def given(self) -> tuple[Path, ...]:
        """The folders given by the user, which may be read wherever they are."""
        named = (self.given_tickets, self.given_prd, self.given_ccp, self.given_repo)
        return tuple(path for path in named if path is not None)

    def tickets(self) -> Path | None:
        return self._part(self.given_tickets, "tickets", "documents/work/tickets")

    def prd(self, prd_id: str) -> Path | None:
        return self._part(self.given_prd, "prd", f"documents/prds/{prd_id}" if safe_name(prd_id) else None)

    def ccp(self, prd_id: str) -> Path | None:
        return self._part(self.given_ccp, "ccp", f"evidence/prd/{prd_id}/ccp" if safe_name(prd_id) else None)

    def repo(self) -> Path | None:
        """Return the repository: the one given, or the tree if it has more than documents and evidence."""
        if self.given_repo is not None:
            return self.given_repo.resolve()
        if not self.in_tree:
            return None
        names = {path.name for path in _entries(self.root) if not path.name.startswith(".")}
        return self.root if names - _SPECIAL else None

    def _part(self, given: Path | None, own: str, in_tree: str | None) -> Path | None:
        if given is not None:
            return given.resolve()
        if (self.folder / own).is_dir():
            return self.folder / own
        if self.in_tree and in_tree is not None and (self.root / in_tree).is_dir():
            return self.root / in_tree
        return None


def locate(folder: Path, tickets: Path | None, prd: Path | None, ccp: Path | None, repo: Path | None) -> Layout:
    """Return the locations of an RFC's parts; raises InputError if there is no RFC or a given folder does not exist."""
    for name, path in (("tickets", tickets), ("prd", prd), ("ccp", ccp), ("repo", repo)):
        if path is not None and not path.is_dir():
            raise InputError("is not a folder", file=str(path), key=name, expected="an existing folder")
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(what, file=str(folder), expected="the folder of an RFC")
    names = {path.name for path in _entries(folder)}
    expected = {stem + ending for stem, _ in DOCUMENTS for ending in YAML_NAMES}
    if not names & expected:
        below = sorted(name for name in names if re.fullmatch(r"RFC-[A-Z0-9-]{1,40}", name))
        raise InputError(
            "contains none of the ten files of an RFC",
            file=str(folder),
            expected="a folder with 00_meta.yaml to 09_governance_and_gates.yaml",
            nearest=str(folder / below[0]) if below else None,
        )
    real = folder.resolve()
    in_tree = real.parent.name == "rfcs" and real.parent.parent.name == "documents"
    root = real.parent.parent.parent if in_tree else real
    return Layout(real, root, in_tree, tickets, prd, ccp, repo)


def _entries(folder: Path) -> Iterable[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(folder)) from error
