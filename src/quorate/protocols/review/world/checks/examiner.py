"""The seat of the checks: reports the examination, and examines the change again with a patch applied (R4, R17).

The first examination is stored as material when a session opens, so a replay needs no repository. A patch is examined
in a scratch folder; the user's files are never written, so it is safe to repeat.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.codec import parse_reply
from quorate.core.errors import InputError, RuleViolation
from quorate.core.forms import Key
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import View
from quorate.kit import check_result
from quorate.kit.change import Change
from quorate.participants.check import Check
from quorate.participants.port import Request
from quorate.protocols.review.rules.forms import Examination
from quorate.protocols.review.world.change.amendment import amended
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Source, from_plain
from quorate.protocols.review.world.change.trees import close
from quorate.protocols.review.world.checks.governance import DECIDING
from quorate.protocols.review.world.checks.house import house_check, rules_for
from quorate.protocols.review.world.checks.receipt import TOKENS, OpenItem, examination, material_of, not_applied
from quorate.protocols.review.world.checks.run import run_checks
from quorate.safety.masks import Masks
from quorate.safety.secrets import secrets_in

__all__ = ["examination", "examiner", "material_of", "silent"]

_PATCH = re.compile(r"Patch (\d{1,3})")
_ITEM = re.compile(r"Item (I\d+)(?: (.*))?", re.DOTALL)


def examiner(run: Mapping[str, Any]) -> Check:
    """Return the participant for the checks of a session. `run`, only needed for the brief `apply`, is plain data:

    `folder` and `source` of the change, and, where there are any, `digest` (what the change was when the session
    opened), `rules` (the file of the house rules), `claims`, `election`, `dismissed` (reasons by key), `deciding` (the
    paths that take effect on the review), `tokens` (what one seat is shown at most) and `narrow` (R50).
    """

    def answer(request: Request) -> Examination:
        match request.ask.brief:
            case "examine":
                return _examined(request)
            case "apply":
                return _applied(_Job.of(run), _patches(request.view), _items(request.view))
            case brief:
                raise RuleViolation(f"the checks were asked {brief!r}; they answer 'examine' and 'apply' only")

    return Check(answer, name="checks")


def silent() -> Check:
    """Return a participant that is immediately silent, for an empty seat."""
    return Check(lambda _: Absent(AbsentReason.SILENT), name="nobody", silence="nobody sits here")


def _examined(request: Request) -> Examination:
    """Parse the form from the material, as strictly as any reply."""
    texts = [section.text for section in request.view.sections if section.title == "Checks"]
    if len(texts) != 1:
        raise InputError(f"the view has {len(texts)} sections of that title", key="Checks", expected="one")
    reply = parse_reply(request.ask, texts[0])
    if not isinstance(reply, Examination):
        raise RuleViolation(f"examine is answered with an Examination, not with a {type(reply).__name__}")
    return reply


def _patches(view: View) -> tuple[str, ...]:
    """Return the patches of the view in their order."""
    found = [(match, section.text) for section in view.sections if (match := _PATCH.fullmatch(section.title))]
    numbers = [int(match[1]) for match, _ in found]
    if not found or numbers != list(range(1, len(found) + 1)):
        raise InputError(f"the view has the patches {numbers}", key="Patch", expected="Patch 1, Patch 2, ...")
    return tuple(text for _, text in found)


def _items(view: View) -> tuple[OpenItem, ...]:
    """Return the open items whose evidence is looked for in the amended change (R39)."""
    found = [(match, section.text) for section in view.sections if (match := _ITEM.fullmatch(section.title))]
    return tuple(OpenItem(Key(match[1]), match[2] or "", evidence) for match, evidence in found)


@dataclass(frozen=True, slots=True)
class _Job:
    """What is needed to read the change again."""

    folder: Path
    source: Source
    digest: str | None
    rules: Path | None
    claims: int
    election: Mapping[str, Any]
    dismissed: Mapping[str, str]
    deciding: tuple[str, ...]
    tokens: int
    narrow: bool
    remote: bool
    """Whether it was opened on behalf of somebody who is not at this machine."""

    @classmethod
    def of(cls, run: Mapping[str, Any]) -> _Job:
        for key in ("folder", "source"):
            if key not in run:
                raise InputError("is missing, so the change cannot be read again", key=f"run.review.{key}")
        rules = run.get("rules")
        return cls(
            Path(run["folder"]),
            from_plain(run["source"]),
            run.get("digest"),
            Path(rules) if rules is not None else None,
            len(run.get("claims") or ()),
            run.get("election") or {},
            run.get("dismissed") or {},
            tuple(run.get("deciding") or DECIDING),
            int(run.get("tokens") or TOKENS),
            bool(run.get("narrow")),
            bool(run.get("remote")),
        )


def _house(change: Change, job: _Job) -> check_result.Check | None:
    """Return the check for the house rules from before the change, which a patch cannot lift either."""
    return house_check(rules_for(change, job.rules, remote=job.remote)) if job.rules is not None else None


def _lost(before: Change, after: Change) -> str:
    """Return a file that the checks can no longer read after an amendment; empty if there is none."""
    readable = {file.path for file in after.files}
    gone = {left.path for left in after.left_out} - readable
    return min(({file.path for file in before.files} & gone), default="")


def _applied(job: _Job, patches: Sequence[str], items: Sequence[OpenItem]) -> Examination:
    """Apply the patches one by one, since each uses the secret masks of the change it was written for."""
    with ExitStack() as open_trees:

        def kept(change: Change) -> Change:
            open_trees.callback(close, change)
            return change

        change = kept(read_change(job.source, job.folder))
        masks = Masks.of(secrets_in(change))
        plain: list[str] = []
        for number, patch in enumerate(patches, start=1):
            try:
                plain.append(masks.unmask(patch))
                made = amended(job.source, job.folder, plain, job.digest)
            except InputError as error:
                return not_applied(f"patch {number}: {error}")
            if made is None:
                return not_applied(f"patch {number} of {len(patches)} does not apply to the change as it is now")
            if lost := _lost(change, made):
                return not_applied(f"patch {number} would leave nothing to read of {lost}")
            change = kept(made)
            if number < len(patches):
                masks = masks.extended(secrets_in(change))
        examined = run_checks(change, _house(change, job), known=masks, deciding=job.deciding)
        return examination(
            change,
            examined,
            election=job.election,
            dismissed=job.dismissed,
            claims=job.claims,
            amended=True,
            tokens=job.tokens,
            narrow=job.narrow,
            items=items,
        )
