"""What a review is held to and what it keeps: rules, claims, the ledger, amendments, and where it stood."""

from __future__ import annotations

import json
import signal

from tests.cli.shell import Shell, lines, session_of
from tests.protocols.review.command.reviewed import everything_kept, review
from tests.support.reviewing import MENDED, PAY, SECRET, Project, ballot, item, replies

# Rules and claims


RULES = """\
rules:
  - {id: no-print, severity: high, paths: "src/**/*.py", pattern: '\\bprint\\(', message: Use the log instead.}
"""
CLAIMS = """\
- {id: AC-1, scope: src, claim: Slugs have hyphens., observable: the return line, expected: words are joined by -}
"""


def test_house_rules_of_the_base_are_checked(project: Project) -> None:
    project.git("checkout", "-q", "main")
    project.write({"quorate.rules.yaml": RULES})
    project.commit()
    project.git("checkout", "-q", "-B", "feature")
    project.change(**{"src/loud.py": '"""Loud."""\n\nprint("hello")\n'})
    ran = review(project)
    assert ran.code == 1
    assert lines(ran.err, ["HIGH", "src/loud.py:3", "house/no-print", "Use the log instead."])


def test_acceptance_claims_are_judged(project: Project) -> None:
    """R24."""
    (project.beside / "claims.yaml").write_text(CLAIMS)
    project.change()
    claims = str(project.beside / "claims.yaml")
    ran = review(project, "--claims", claims, "--json")
    assert ran.code == 0, ran.err
    assert [(each["id"], each["judgement"]) for each in ran.json()["result"]["claims"]] == [("AC-1", "PASS")]
    failed = {"judge": {"claims": {"*": {"observed": "no hyphen", "judgement": "fail"}}}, "ballot": ballot()}
    project.panel(replies(operations_sre=failed))
    assert review(project, "--claims", claims).code == 1


# The ledger


def test_the_ledger_keeps_findings_across_runs(project: Project) -> None:
    project.change()
    project.panel(replies(engineering_architect={"ballot": ballot(items=[item()])}))
    first = review(project)
    assert "ledger: 1 new" in first.err
    assert "ledger: 1 still open" in review(project).err
    project.panel(replies())
    assert "ledger: nothing new" in review(project).err, "what it quotes still stands there, so it stays as it is"
    project.write({"src/slug.py": MENDED.replace("text.lower().split()", "text.split()")})
    project.commit()
    assert "ledger: 1 fixed" in review(project).err
    ledger = json.loads((project.folder / ".quorate" / "ledger.json").read_text())
    assert [each["status"] for each in ledger["findings"].values()] == ["fixed"]


def test_the_ledger_can_be_left_alone(project: Project) -> None:
    project.change()
    assert "ledger:" not in review(project, "--no-ledger").err
    assert not (project.folder / ".quorate" / "ledger.json").exists()


def test_a_dismissed_finding_no_longer_counts_and_is_listed(project: Project) -> None:
    project.write({"src/slug.py": MENDED.replace("slug", "slugs")})
    project.commit()
    ran = review(project, "--json")
    high = [each for each in ran.json()["result"]["findings"] if each["severity"] == "high"]
    assert ran.code == 1
    shell = Shell(project.folder)
    for each in high:
        done = shell.call("dismiss", each["key"], "--reason", "Nobody calls it.", "--by", "Ada")
        assert done.code == 0, done.err
    again = review(project)
    assert again.code == 0, again.err
    assert lines(again.err, ["dismissed by Ada: Nobody calls it."])
    assert review(project).code == 0, "a dismissal outlives the runs after it"


def test_a_proven_secret_is_only_dismissed_by_the_ledger_of_the_base(project: Project) -> None:
    """R14: no change can dismiss its own secret; a false positive that is known at the base is none any more."""
    project.change(**{"src/pay.py": PAY})
    first = review(project, "--json").json()
    key = next(each["key"] for each in first["result"]["findings"] if each["veto"])
    shell = Shell(project.folder)
    words = ("--reason", "The key of the public sandbox.", "--by", "Ada")
    assert shell.call("dismiss", key, *words).code == 64, "it cannot be deferred"
    assert shell.call("dismiss", key, *words, "--false-positive").code == 0
    assert review(project, "--no-ledger").code == 1, "the change itself brings the dismissal"
    ledger = (project.folder / ".quorate" / "ledger.json").read_text()
    project.git("checkout", "-q", "main")
    project.write({".quorate/ledger.json": ledger})
    project.git("add", ".quorate/ledger.json")
    project.git("commit", "-q", "-m", "A false positive")
    project.git("checkout", "-q", "feature")
    project.git("rebase", "-q", "main")
    ran = review(project)
    assert ran.code == 0, ran.err + ran.out
    assert lines(ran.err, ["secrets/stripe", "dismissed by Ada"])


# Suspending and amending


def amendment(project: Project) -> str:
    """A patch that takes the secret out, made with git diff, so that it quotes the secret."""
    project.write({"src/pay.py": '"""Payments."""\n\nimport os\n\nKEY = os.environ["KEY"]\n'})
    patch = project.git("diff") + "\n"
    project.git("checkout", "-q", "--", "src/pay.py")
    assert SECRET in patch
    return patch


def test_a_person_amends_a_vetoed_change(project: Project) -> None:
    """R16, R17: the patch is applied to a copy, the checks examine it, and the committee ballots again."""
    project.change(**{"src/pay.py": PAY})
    project.panel(replies(), seats={"proposer": "person"})
    ran = review(project, "--no-input")
    assert ran.code == 4
    assert "waiting for proposer (amend" in ran.err
    shell = Shell(project.folder)
    words = ("--set", "reason=The key comes from outside now.", "--set", f"patch={amendment(project)}")
    done = shell.call("answer", "latest", *words, "--resume")
    assert done.code == 1, "what is approved is not what was brought"
    assert "Verdict: APPROVED (as amended; the amendment is not applied yet)" in done.out
    assert shell.call("resume", "latest", "--out", "left").code == 1
    assert "[masked secret 1]" in (project.folder / "left" / "amendment.patch").read_text()
    assert (project.folder / "src" / "pay.py").read_text() == PAY, "nothing of the user's is written"
    assert SECRET.encode() not in everything_kept(project), "what a person quotes is masked too"


def test_a_patch_that_does_not_apply_is_no_amendment(project: Project) -> None:
    """R17, R18: and without a business driver on the committee it is irreconcilable."""
    project.change(**{"src/pay.py": PAY})
    project.panel(replies(), seats={"proposer": "person"})
    assert review(project, "--no-input").code == 4
    patch = "diff --git a/src/no.py b/src/no.py\n--- a/src/no.py\n+++ b/src/no.py\n@@ -1 +1 @@\n-a\n+b\n"
    shell = Shell(project.folder)
    done = shell.call("answer", "latest", "--set", "reason=This.", "--set", f"patch={patch}", "--resume")
    assert done.code == 1, done.err
    assert "Verdict: REQUEST_CHANGES" in done.out


def test_a_scripted_proposer_amends(project: Project) -> None:
    project.change(**{"src/pay.py": PAY})
    patch = amendment(project).replace(SECRET, "[masked secret 1]")
    project.panel(replies(proposer={"amend": {"reason": "Out with it.", "patch": patch}}))
    ran = review(project)
    assert ran.code == 1, ran.err
    assert "Verdict: APPROVED (as amended" in ran.out
    assert "1 new" in ran.err, "the ledger knows what the branch still has"


def test_a_suspended_review_goes_on_where_it_stood(project: Project) -> None:
    """What was said before Ctrl-C is not asked again, and the change is the one that was opened with."""
    project.change()
    slow = {"delay": 30, "reply": ballot()}
    project.panel(replies(operations_sre={"ballot": slow}))
    shell = Shell(project.folder)
    program = shell.start("review", "--panel", str(project.beside / "panel.yaml"))
    assert program.stderr is not None
    said = ""
    while "engineering-architect ballot replied" not in " ".join(said.split()):
        line = program.stderr.readline()
        assert line, said
        said += line
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=60)
    assert program.returncode == 4, out + err
    session = session_of(said)
    project.panel(replies())
    project.write({"src/slug.py": "broken"})
    project.commit("later")
    done = shell.call("resume", session)
    assert done.code == 0, done.err
    assert not lines(done.err, ["engineering-architect", "ballot", "asked"])
    assert lines(done.err, ["operations-sre", "ballot", "replied"])
