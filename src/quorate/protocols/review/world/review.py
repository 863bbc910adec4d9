"""Opening a review session on an examined change, and settling its findings in the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.creation import open_session
from quorate.api.ledger import settle
from quorate.api.seats import Seating
from quorate.api.sessions import Result
from quorate.codec import canonical
from quorate.core.errors import SettingError
from quorate.core.protocol import Degradation
from quorate.core.types import Seat
from quorate.kit import check_result
from quorate.kit.change import FileStatus
from quorate.kit.findings import Severity
from quorate.kit.ledger import Changes, Coverage, LedgerEntry
from quorate.kit.roles import roles_in
from quorate.protocols.review.rules.ballot_count import holds_veto
from quorate.protocols.review.rules.election import Election, check_holders, elect
from quorate.protocols.review.rules.forms import Examination
from quorate.protocols.review.rules.model import OFFICES, Verdict
from quorate.protocols.review.rules.receipt import examinations, receipt
from quorate.protocols.review.rules.result.open_findings import brought_findings
from quorate.protocols.review.rules.result.overview import Overview
from quorate.protocols.review.rules.result.receipts import unread
from quorate.protocols.review.world.change.file_order import modules_of, reviewed
from quorate.protocols.review.world.change.read import digest_of
from quorate.protocols.review.world.change.source import Source, pinned, to_plain
from quorate.protocols.review.world.checks.claims import Claim, claims_for
from quorate.protocols.review.world.checks.interfaces import interfaces_changed
from quorate.protocols.review.world.checks.receipt import examination, material_of, results_of
from quorate.protocols.review.world.examination import Examined, NothingToReview, Progress, Work, at_work, own_file
from quorate.store.journal import Journal
from quorate.workspace import Workspace

CLAIMS_NAME = "quorate.claims.yaml"


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened session on a change; no ask has been sent yet."""

    session: str
    examined: Examined
    election: Election
    veto_holders: tuple[str, ...]
    """Members whose veto outweighs any majority."""
    claims: int


async def open_review(
    workspace: Workspace,
    journal: Journal,
    source: Source,
    *,
    folder: Path,
    members: Sequence[str] = (),
    solo: bool = False,
    rules: Path | None = None,
    claims: Path | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    seed: int | None = None,
    keep_ledger: bool = True,
    remote: bool = False,
    progress: Progress = lambda _: None,
) -> Opened:
    """Read a change, run all checks on it, elect a committee and open a session; no ask is sent yet.

    Raises NothingToReview if the change has no file to review, and SettingError without a panel or a model, here or in
    the settings. With `remote` (the user is not at this machine) only commands of house rules that are in the last
    commit are run.
    """
    if not any((panel, model, workspace.config.panel, workspace.config.model)):
        raise SettingError(
            "no model or panel is set for the committee",
            expected="--model or --panel, here or in quorate.yaml; --checks-only needs none, "
            "--model local:smollm2 is for trying it out",
        )
    with at_work(workspace, source, folder, rules, progress, panel, remote=remote) as work:
        if not reviewed(work.change):
            raise _nothing(work)
        with workspace.config.placing("review"):
            check_holders(work.settings, _personas(work))
        election = _elected(work, members or work.settings.members, solo=solo)
        judged = _claims(work, claims)
        form = examination(
            work.change,
            work.ran,
            election=_told(election),
            dismissed=work.reasons(),
            claims=len(judged),
            tokens=work.settings.persona_tokens,
            narrow=work.settings.narrow,
        )
        material = material_of(work.change, work.ran, form)
        if judged:
            material["claims"] = canonical([_claim(work, claim) for claim in judged])
        run = _run(work, source, folder, election, judged)
        if remote:
            run["remote"] = True
        run["ledger"] = keep_ledger and bool(work.change.root) and workspace.root is not None
        session = await open_session(
            workspace,
            journal,
            "review",
            material,
            panel=panel,
            model=model,
            seed=seed,
            title=work.masked(work.change.title),
            settings={"members": list(election.committee)},
            run={"review": run},
        )
    holders = tuple(name for name in election.committee if holds_veto(work.settings, Seat(name)))
    told = work.told()
    told = replace(told, results=results_of(form, told.results))
    return Opened(session, told, election, holders, len(judged))


# Opening


def _nothing(work: Work) -> NothingToReview:
    left, blocking = work.change.left_out, len(work.told().blocking)
    reasons = ", ".join(dict.fromkeys(each.why.value for each in left))
    many = "the only changed file is" if len(left) == 1 else f"all {len(left)} changed files are"
    also = f", with {blocking} blocking finding{'s' if blocking > 1 else ''} of the checks" if blocking else ""
    nothing = NothingToReview(f"{many} left out ({reasons}){also}", expected="a change with a text file in it")
    nothing.blocking, nothing.unread = blocking, work.unread
    return nothing


def _elected(work: Work, members: Sequence[str], *, solo: bool) -> Election:
    severe = sum(finding.severity.at_least(Severity.HIGH) for finding in work.findings)
    change = work.change
    return elect(
        len(reviewed(change)), modules_of(change), interfaces_changed(change), severe, solo=solo, members=members
    )


def _told(election: Election) -> dict[str, Any]:
    """Return the election for the receipt; the committee itself is a setting."""
    told = asdict(election)
    del told["committee"]
    return {**told, "complexity": election.complexity.name, "pairs": [list(pair) for pair in election.pairs]}


def _claims(work: Work, path: Path | None) -> tuple[Claim, ...]:
    if path is None:
        path = own_file(work.workspace, work.change, Path(), CLAIMS_NAME)
    return claims_for(work.change, path) if path is not None else ()


def _claim(work: Work, claim: Claim) -> dict[str, str]:
    texts = ("id", "scope", "claim", "observable", "expected", "source")
    return {name: work.masked(getattr(claim, name)) for name in texts}


def _run(work: Work, source: Source, folder: Path, election: Election, judged: Sequence[Claim]) -> dict[str, Any]:
    """Return what the checks need to examine an amendment from any process, and what the ledger needs at the end."""
    paths = {path for file in work.change.files for path in (file.path, file.old_path) if path}
    run: dict[str, Any] = {
        "folder": str(folder.resolve()),
        "source": to_plain(pinned(source, work.change)),
        "digest": digest_of(work.change),
        "claims": [claim.id for claim in judged],
        "election": _told(election),
        "dismissed": work.reasons(),
        "standing": work.standing,
        "personas": _personas(work),
        "deciding": list(work.deciding),
        "tokens": work.settings.persona_tokens,
        **({"narrow": True} if work.settings.narrow else {}),
        "paths": sorted(work.masked(path) for path in paths),
        "deleted": sorted(work.masked(file.path) for file in work.change.files if file.status is FileStatus.DELETED),
        "renames": {work.masked(old): work.masked(new) for old, new in work.renames.items()},
    }
    return run if work.rules is None else {**run, "rules": str(work.rules.resolve())}


def _personas(work: Work) -> list[str]:
    """Return all available personas: those of the package, and the project's own."""
    own = catalog.own_briefs(work.workspace.briefs) if work.workspace.briefs is not None else {}
    roles = {*roles_in((*catalog.briefs(catalog.definition("review")), *own))}
    return sorted(name for name in roles if name not in OFFICES and "/" not in name)


# Settling


def settle_review(workspace: Workspace, result: Result) -> Changes | None:
    """Merge the findings of a review into the project's ledger and return the changes.

    None if there is nothing to settle: another protocol, an unfinished or cancelled session, a change of no project.
    Settling a session twice is idempotent as long as no other was settled in between.
    """
    record, conclusion = result.record, result.record.session.conclusion
    run = record.opening.run.get("review")
    find = catalog.definition_of(record.opening).findings
    done = examinations(record)
    if run is None or not run["ledger"] or workspace.root is None or find is None or not done:
        return None
    if conclusion is None or conclusion.verdict is Verdict.ABORTED:
        return None
    last = done[-1].reply
    assert isinstance(last, Examination)
    kept = receipt(last)
    decided = conclusion.verdict is not Verdict.INCONCLUSIVE and conclusion.interrupted is None
    nobody = set(unread(Overview(record)).get("paths", ()))
    shown = {str(file["path"]) for file in kept["files"]} - nobody | set(run["deleted"])
    coverage = Coverage(
        paths=frozenset(run["paths"]),
        shown=frozenset(shown),
        checks=frozenset(
            each["check"] for each in kept["checks"] if each["status"] != check_result.CheckStatus.SKIP.value
        ),
        committee=decided and conclusion.degradation is not Degradation.BELOW_SETTINGS,
    )

    def covered(entry: LedgerEntry) -> bool:
        return entry.key not in run["dismissed"] and entry.key not in run["standing"] and coverage(entry)

    found = {each.key: each for each in (*brought_findings(record), *find(record))}  # an amendment is not applied yet
    listed = tuple(found.values())
    return settle(workspace.root, listed, covered, result.session, kept["head"], run["paths"], run["renames"])
