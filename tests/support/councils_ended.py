"""Councils that have ended in every way a council can end, ready to be looked at; each call plays its own anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from quorate.core.types import AbsentReason, Reason
from tests.support.council_words import rfc
from tests.support.councils import Sitting


def clean() -> Sitting:
    """Nobody finds anything."""
    return Sitting().finish()


def approved_with_notes() -> Sitting:
    """Two seats raise the same in the same words, all call a third the same, and what is left is MINOR."""
    sitting = Sitting().gates("SCOPE_OVERLAP T1")
    sitting.review({"SA-1": ["AMBIGUOUS_SCOPE T2 MINOR L3"], "SA-2": ["AMBIGUOUS_SCOPE T2 MINOR L3"]})
    sitting.assess({"SA-3": ["AGENT_CONTEXT_GAP T2 steps MINOR L5"]})
    return sitting.respond("CONFIRM same F2").finish()


def with_remediation() -> Sitting:
    """A MAJOR of two seats has an agreed remediation."""
    sitting = Sitting().review(
        {"SA-1": ["MISSING_VERIFICATION T1 criteria"], "SA-2": ["MISSING_VERIFICATION T1 criteria"]}
    )
    return sitting.respond("CONFIRM fix").vote().finish()


def rejected_by_gate() -> Sitting:
    """A gate's BLOCKER rejects, whatever the seats say."""
    return Sitting().gates("SCOPE_GAP R01 requirements", "CCP_MISMATCH T2 files_to_modify").respond("DISPUTE").finish()


def failed_fast() -> Sitting:
    """A gate's BLOCKER ends the council before any seat is asked."""
    return Sitting(fail_fast=True).gates("DEPENDENCY_CYCLE T1 dependencies").finish()


def rejected_by_blocker() -> Sitting:
    """A BLOCKER of all seats with an agreed remediation that is not carried out."""
    sitting = Sitting().review({seat: ["INCOMPLETE_PLAN T2 steps"] for seat in ("SA-1", "SA-2", "SA-3")})
    return sitting.respond({"SA-1": "CONFIRM fix"}).vote().finish()


def split() -> Sitting:
    """One for it, one against it, one abstains."""
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})
    sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "ABSTAIN"})
    return sitting.vote({"SA-2": "OPPOSE", "SA-3": "ABSTAIN"}).finish()


def lesser_split() -> Sitting:
    """The same about something too small to decide on the end."""
    sitting = Sitting(deadlock_min_severity="BLOCKER").review({"SA-1": ["SCOPE_OVERLAP T3"]})
    return sitting.respond({"SA-2": "DISPUTE"}).vote({"SA-2": "OPPOSE", "SA-3": "ABSTAIN"}).finish()


def lone_blocker() -> Sitting:
    """A BLOCKER that one seat holds, opposed by two without a quotation."""
    sitting = Sitting().review({"SA-3": ["BOUNDARY_VIOLATION T1"]}).respond({"SA-1": "DISPUTE", "SA-2": "DISPUTE"})
    return sitting.vote({"SA-1": "OPPOSE", "SA-2": "OPPOSE"}).finish()


def refuted() -> Sitting:
    """The same, refuted with a quotation."""
    sitting = Sitting().review({"SA-3": ["BOUNDARY_VIOLATION T1"]}).respond({"SA-1": "DISPUTE", "SA-2": "DISPUTE"})
    return sitting.vote({"SA-1": "REFUTE", "SA-2": "OPPOSE"}).finish()


def stranded() -> Sitting:
    """A BLOCKER of all seats for which nobody proposes a remediation."""
    return Sitting().review({seat: ["INCOMPLETE_PLAN T2"] for seat in ("SA-1", "SA-2", "SA-3")}).finish()


def in_doubt() -> Sitting:
    """Two seats are not sure of their assessment."""
    return Sitting().assess(low=("SA-1", "SA-3"), failed={"SA-1": ["ATOMICITY"]}).finish()


def degraded() -> Sitting:
    """One seat is lost after it has raised something."""
    sitting = Sitting().review({"SA-3": ["MISSING_VERIFICATION T1"]}).assess({"SA-3": "absent"})
    return sitting.respond("CONFIRM fix").finish()


def deserted() -> Sitting:
    """Two seats are lost: everything that was found so far is listed."""
    sitting = (
        Sitting().gates("ORPHAN_TICKET T1 requirements").review({"SA-1": ["INCOMPLETE_PLAN T2", "SCOPE_OVERLAP T3"]})
    )
    return sitting.absent("SA-2", AbsentReason.MALFORMED).absent("SA-3", AbsentReason.REFUSED).finish()


def ungated() -> Sitting:
    """The gates give no report."""
    return Sitting().absent("gates", AbsentReason.FAILED)


def out_of_budget() -> Sitting:
    """The budget ends while seats assess: what two have raised so far is listed."""
    sitting = Sitting().review({"SA-1": ["INCOMPLETE_PLAN T2"]})
    sitting.reach("assess")
    for seat in ("SA-1", "SA-2"):
        sitting.reply(seat, {"findings": [{"subcategory": "MERGE_UNSAFE", "place": "T3", "severity": "BLOCKER"}]})
    return sitting.interrupt(Reason.BUDGET, "the tokens are spent")


def out_of_episodes() -> Sitting:
    return Sitting(max_episodes=5).review({"SA-1": ["INCOMPLETE_PLAN T2"]}).finish()


def stalled() -> Sitting:
    """Nobody answers anything."""
    return Sitting().review({"SA-1": ["INCOMPLETE_PLAN T2"]}).respond({seat: {} for seat in ("SA-1", "SA-2", "SA-3")})


def cancelled() -> Sitting:
    """Somebody cancels in the middle of a vote."""
    sitting = Sitting().review({"SA-1": ["AMBIGUOUS_SCOPE T3"]}).respond({"SA-2": "DISPUTE"})
    sitting.reach("vote")
    sitting.reply("SA-1")
    return sitting.interrupt(Reason.CANCELLED)


def wished() -> Sitting:
    """Somebody wishes it to end, and the phase under way is heard first."""
    return Sitting().gates().interrupt(Reason.WISH).review({"SA-1": ["AMBIGUOUS_SCOPE T3"]})


def standard() -> Sitting:
    """One seat, no vote: it takes one finding back and remedies the other."""
    sitting = Sitting(depth="STANDARD").review({"SA-1": ["MISSING_VERIFICATION T1", "SCOPE_OVERLAP T2"]})
    return sitting.respond({"SA-1": {"F1": "CONFIRM fix", "F2": "DISPUTE"}}).finish()


def standard_failed() -> Sitting:
    return Sitting(depth="STANDARD").gates("SCHEMA_VIOLATION T1").finish()


def remediated() -> Sitting:
    """Edits mend a gate's BLOCKER and a seat's MAJOR, the second after another attempt."""
    sitting = Sitting(remediate=True).gates("SCOPE_GAP R01").review({"SA-1": ["AMBIGUOUS_SCOPE T1"]})
    sitting.respond("CONFIRM fix").vote().patch()
    return sitting.apply({"F1": "APPLIED", "F2": "REGRESSED"}).patch().apply({"F2": "APPLIED"}).finish()


def prosaic() -> Sitting:
    """Two attempts at edits are prose alone."""
    sitting = Sitting(remediate=True).review({seat: ["AMBIGUOUS_SCOPE T1"] for seat in ("SA-1", "SA-2", "SA-3")})
    sitting.respond("CONFIRM fix").vote()
    return sitting.patch().apply("PROSE_ONLY", "").patch().apply("PROSE_ONLY", "").finish()


def unbound() -> Sitting:
    """Nine gates, an odd version, lenses left unbound, and far too many tokens."""
    sitting = Sitting(about=rfc(version_written="0.1.0"), gates="nine")
    sitting.spent = {"tokens_in": 15_000, "tokens_out": 1_000}
    sitting.gates(masked=2).review(bound=False).assess()
    return sitting.bind("L3").finish()


def ruled() -> Sitting:
    """A person rules on a deadlock."""
    return split().rule("REJECTED", "Ann", "The scope must be said.")


ENDED: Mapping[str, Callable[[], Sitting]] = {
    made.__name__: made
    for made in (
        clean,
        approved_with_notes,
        with_remediation,
        rejected_by_gate,
        failed_fast,
        rejected_by_blocker,
        split,
        lesser_split,
        lone_blocker,
        refuted,
        stranded,
        in_doubt,
        degraded,
        deserted,
        ungated,
        out_of_budget,
        out_of_episodes,
        stalled,
        cancelled,
        wished,
        standard,
        standard_failed,
        remediated,
        prosaic,
        unbound,
        ruled,
    )
}
"""Every way to end, by name."""
