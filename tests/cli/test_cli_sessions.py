"""Sessions as people and programs see them: list, show, watch, end, explain, replay."""

from __future__ import annotations

import signal

from tests.cli.shell import Shell, lines, script, session_of

PROBLEM = "Where should a shop keep its audit log?"


def test_list_shows_where_every_session_stands(shell: Shell) -> None:
    assert "no sessions" in shell.call("list").err
    waiting = session_of(shell.call("debate", PROBLEM, "--clarify"))
    done = session_of(shell.call("debate", "Another problem"))
    table = shell.call("list").out
    assert lines(table, [done, "debate", "SOLUTION", "Another problem"])
    assert lines(table, [waiting, "CLARIFICATION_INPUT", "person", PROBLEM])
    found = {each["session"]: each for each in shell.call("list", "--json").json()}
    assert (found[done]["verdict"], found[waiting]["waiting"]) == ("SOLUTION", ["person"])
    assert [each["session"] for each in shell.call("list", "--waiting", "--json").json()] == [waiting]


def test_list_can_be_narrowed_by_status_and_protocol(shell: Shell) -> None:
    waiting = session_of(shell.call("debate", PROBLEM, "--clarify"))
    done = session_of(shell.call("debate", "Another problem"))

    def named(*options: str) -> list[str]:
        return [each["session"] for each in shell.call("list", *options, "--json").json()]

    assert named("--status", "waiting") == named("--waiting") == named("--waiting", "--status", "waiting") == [waiting]
    assert named("--status", "concluded") == [done]
    assert named("--status", "active") == []
    assert set(named("--protocol", "debate")) == {waiting, done}
    assert named("--protocol", "debate", "--status", "concluded") == [done]
    assert named("--protocol", "workshop") == []
    assert "There are no sessions of workshop here yet." in shell.call("list", "--protocol", "workshop").err
    assert "No session of debate is active." in shell.call("list", "--protocol", "debate", "--status", "active").err


def test_list_refuses_what_is_no_filter(shell: Shell) -> None:
    wrong = shell.call("list", "--protocol", "workshp")
    assert (wrong.code, "did you mean 'workshop'?" in wrong.err) == (64, True)
    both = shell.call("list", "--waiting", "--status", "concluded")
    assert (both.code, "exclude each other" in both.err) == (64, True)
    assert shell.call("list", "--status", "done").code == 64


def test_a_session_is_found_by_the_start_of_its_id(shell: Shell) -> None:
    one = session_of(shell.call("debate", PROBLEM))
    assert shell.call("show", one[:-2]).code == 0
    shell.call("debate", PROBLEM)
    ran = shell.call("show", "debate")
    assert (ran.code, "matches 2 sessions" in ran.err) == (64, True)


def test_show_tells_the_whole_story(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    story = shell.call("show").out
    assert lines(story, ["#1 [PROPOSAL/1] architect propose (script:script.yaml)"])
    assert lines(story, ["proposal-1 weaknesses: vague"])
    assert lines(story, ["EVALUATION: CONTINUE -> ROUND_MANAGER"])
    assert story.splitlines()[-1].startswith("Verdict: SOLUTION")
    transcript = shell.call("show", "--json").json()["transcript"]
    assert [(t["seat"], t["brief"]) for t in transcript][-1] == ("judge", "synthesize")
    assert transcript[0]["reply"]["text"] == "Use one queue."


def test_watch_follows_a_session_that_another_process_runs(shell: Shell) -> None:
    shell.write(script(delay=0.5))
    running = shell.start("debate", PROBLEM)
    assert running.stderr is not None
    session = session_of(running.stderr.readline())
    watched = shell.run("watch", session)
    assert (watched.code, watched.out.splitlines()[-1]) == (0, "Verdict: SOLUTION (confidence 82)")
    assert lines(watched.err, ["CRITIQUE/1", "architect", "criticise", "replied"])
    running.communicate(timeout=60)


def test_watching_can_end_before_the_session_does(shell: Shell) -> None:
    session = session_of(shell.call("debate", PROBLEM, "--clarify"))
    watching = shell.start("watch", session)
    assert watching.stderr is not None
    while "waits for ask" not in watching.stderr.readline():
        pass
    watching.send_signal(signal.SIGINT)
    out, err = watching.communicate(timeout=60)
    assert (watching.returncode, out) == (0, "")
    assert "the session goes on" in err


def test_cancel_ends_a_running_session_and_keeps_what_was_said(shell: Shell) -> None:
    shell.write(script(every={"criticise": {"delay": 60, "reply": script()["seats"]["*"]["criticise"]}}))
    running = shell.start("debate", PROBLEM)
    assert running.stderr is not None
    session = session_of(running.stderr.readline())
    while "criticise asked" not in running.stderr.readline():
        pass
    cancelled = shell.call("cancel", session, "--why", "solved otherwise")
    assert (cancelled.code, "Verdict: ABORTED" in cancelled.out) == (0, True)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 3  # D26
    assert "Use one queue." in out
    assert "cancelled, solved otherwise" in out.splitlines()[-1]
    assert shell.call("cancel", session).code == 64


def test_conclude_leads_to_the_synthesis_after_the_phase(shell: Shell) -> None:
    session = session_of(shell.call("debate", PROBLEM, "--clarify", "--set", "rounds=5"))
    assert shell.call("conclude", session).out == f"{session} will wrap up after CLARIFICATION_INPUT\n"
    ran = shell.call("answer", session, "--set", "q1=x", "--set", "q2=y", "--resume")
    assert "interrupted: wish" in ran.out.splitlines()[-1]  # D26
    assert not lines(ran.err, ["propose asked"])


def test_explain_says_which_rows_were_not_taken(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    assert lines(shell.call("explain").out, ["not taken", "BEGIN_ROUND"])
    steps = shell.call("explain", "--json").json()["steps"]
    last = next(step for step in steps if step["outcome"] == "MAX_ROUNDS_REACHED")
    assert last["tests"][0] == {
        "rule": "D10",
        "outcome": "BEGIN_ROUND",
        "claim": "rounds begun 1 < rounds 1",
        "held": False,
        "reached": True,
    }


def test_explain_marks_the_tests_that_were_not_reached(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    told = shell.call("explain").out
    for step in shell.call("explain", "--json").json()["steps"]:
        decided = [test["held"] for test in step["tests"]].index(True)
        assert [test["reached"] for test in step["tests"]] == [at <= decided for at in range(len(step["tests"]))]
        for test in step["tests"][decided + 1 :]:
            assert lines(told, [test["rule"], f": not reached [{test['outcome']}]"])


def test_replay_gives_the_same_verdict_and_digest_each_time(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    (shell.folder / "script.yaml").unlink()  # nobody could be asked
    first, second = shell.call("replay", "--json").json(), shell.call("replay", "--json").json()
    assert first == second
    assert (first["verdict"], first["same"]) == ("SOLUTION", True)


def test_a_report_takes_its_format_from_the_name_of_the_file(shell: Shell) -> None:
    shell.call("debate", PROBLEM)
    for name, begins in {"r.md": "# SOLUTION", "r.html": "<!doctype html>", "r.json": "{", "r.yml": "format:"}.items():
        ran = shell.call("report", "-o", name)
        assert (ran.code, ran.out) == (0, "")
        assert (shell.folder / name).read_text().lower().startswith(begins.lower())
    assert shell.call("report", "-o", "no/such/folder/r.md").code == 64
    assert shell.call("report", "--json", "--format", "md").code == 64
