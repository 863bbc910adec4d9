"""`quorate adjudicate`: a person rules on a verdict that waits for one, with options or at the terminal.

The terminal is that of a process of its own, which finds the installed protocol as any process would.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.types import TextResourceContents

from quorate import Quorate, api, catalog
from quorate.workspace import find_workspace
from tests.cli.shell import Shell, lines
from tests.http.served import serving
from tests.mcp.assistant import beside

ROOT = Path(__file__).parents[2]
PACKAGE = '''
"""A vote that nobody can win: its verdict waits for a ruling."""

from dataclasses import dataclass

from quorate.kit.definition import Definition
from tests.support.toy import Verdict, voting


@dataclass(frozen=True, slots=True)
class Settings:
    pass


DEFINITION = Definition(
    name="voting",
    title="A vote",
    settings=Settings,
    build=lambda settings, briefs, seed: voting(
        2, needed=2, most=1, rulings={Verdict.UNDECIDED: (Verdict.WON, Verdict.STOPPED)}
    ),
    package="votes",
    result=lambda record: {"noes": record.session.state.noes},
    show=lambda result: f"{result['noes']} noes",
)
'''


@dataclass(frozen=True)
class Hall(Shell):
    """A project with a protocol of its own, whose verdicts wait for a ruling."""

    installed: Path

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, "PYTHONPATH": f"{self.installed}:{ROOT}"}

    def vote(self, voice: str = "no", how: str = "all") -> str:
        script = {
            "seats": {
                "*": {"vote": {"reason": "so", "items": [], "voice": voice}},
                "clerk": {"note": {"text": "noted"}},
            }
        }
        self.write(script, {"panel": "panel.yaml"})
        return asyncio.run(self._vote(how))

    async def _vote(self, how: str) -> str:
        workspace = find_workspace(self.folder, self.env)
        journal = workspace.open()
        session = await api.open_session(workspace, journal, "voting", {"motion": "# Tea or coffee?"}, seed=1)
        if how == "all":
            await api.run(workspace, journal, session)
        await journal.close()
        return session


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with an installed package, for this process and for those that it starts."""
    folder = tmp_path_factory.mktemp("site")
    package = folder / "votes"
    (package / "briefs").mkdir(parents=True)
    (package / "__init__.py").write_text(PACKAGE)
    for brief in ("vote", "note"):
        (package / "briefs" / f"{brief}.md").write_text(f"# {brief.title()}\n")
    distribution = folder / "votes-1.dist-info"
    distribution.mkdir()
    (distribution / "METADATA").write_text("Metadata-Version: 2.1\nName: votes\nVersion: 1\n")
    (distribution / "entry_points.txt").write_text("[quorate.protocols]\nvoting = votes:DEFINITION\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        catalog.definitions.cache_clear()
        yield folder
    sys.modules.pop("votes", None)
    catalog.definitions.cache_clear()


@pytest.fixture
def hall(tmp_path: Path, installed: Path) -> Hall:
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ann Author\n\temail = ann@example.org\n")
    return Hall(tmp_path, installed)


def test_a_ruling_stands_beside_the_verdict_everywhere(hall: Hall) -> None:
    session = hall.vote()
    assert lines(hall.call("list").out, [session, "UNDECIDED", "a ruling"])
    assert [each["session"] for each in hall.call("list", "--waiting", "--json").json()] == [session]
    resumed = hall.call("resume", session)
    assert (resumed.code, f"it waits for a ruling:\n  quorate adjudicate {session}" in resumed.err) == (2, True)

    ran = hall.call("adjudicate", "latest", "--verdict", "won", "--reason", "Everybody wants tea")
    assert (ran.code, ran.out) == (
        0,
        "Verdict: UNDECIDED, ruled WON by Ann Author <ann@example.org>: Everybody wants tea\n",
    )
    assert lines(hall.call("list").out, [session, "UNDECIDED, ruled WON"])
    (listed,) = hall.call("list", "--json").json()
    assert (listed["verdict"], listed["ruling"], listed["waiting"]) == ("UNDECIDED", "WON", [])
    assert hall.call("list", "--waiting", "--json").json() == []
    assert hall.call("resume", session).code == 0, "from now on the ruling's code counts"
    assert "ruled WON by Ann Author <ann@example.org>\n  reason: Everybody wants tea" in hall.call("show").out
    assert "Ann Author <ann@example.org> ruled WON: Everybody wants tea" in hall.call("explain", session).out
    assert hall.call("report", session).out.startswith("# UNDECIDED, ruled WON: Tea or coffee?")
    assert hall.call("replay", session).code == 0
    (hall.folder / "bundle.json").write_text(hall.call("report", session, "--format", "json").out)
    assert hall.call("check", "bundle.json").code == 0


def test_the_last_ruling_counts_and_the_same_twice_is_one(hall: Hall) -> None:
    session = hall.vote()
    for verdict, by in [("won", "Ann"), ("WON", "Ann"), ("stopped", "Bob")]:
        ran = hall.call("adjudicate", session, "--verdict", verdict, "--reason", "so", "--by", by, "--json")
        assert ran.code == 0
    told = json.loads(ran.out)
    assert told["ruling"] == {"verdict": "STOPPED", "by": "Bob", "reason": "so"}
    assert (told["verdict"], told["exit_code"]) == ("UNDECIDED", 3)
    entries = hall.call("show", session, "--json").json()["transcript"]
    assert [each["ruled"]["by"] for each in entries if "ruled" in each] == ["Ann", "Bob"]


def test_what_cannot_be_ruled_is_refused_with_64_and_writes_nothing(hall: Hall) -> None:
    session = hall.vote()
    options = ("--verdict", "won", "--reason", "so")
    for words, says in [
        (("adjudicate", "nowhere", *options), "there is no session 'nowhere'"),
        (("adjudicate", session, "--verdict", "lost", "--reason", "so"), "use WON or STOPPED"),
        (("adjudicate", session, "--verdict", "won", "--reason", "  "), "needs a reason"),
        (("adjudicate", session, *options, "--by", ""), "needs a name"),
        (("adjudicate", session, "--verdict", "won"), "no terminal to ask at"),
        (("adjudicate", session), "The verdict may be won or stopped"),
        (("adjudicate",), "Missing argument 'SESSION'"),
    ]:
        ran = hall.call(*words)
        assert (ran.code, says in ran.err, ran.out) == (64, True, ""), ran
    assert hall.call("list", "--json").json()[0]["ruling"] is None


def test_only_a_verdict_that_waits_can_be_ruled_on(hall: Hall) -> None:
    won = hall.call("adjudicate", hall.vote("aye"), "--verdict", "won", "--reason", "so")
    assert (won.code, "the session concluded WON, and only UNDECIDED can be ruled on" in won.err) == (64, True)
    under_way = hall.call("adjudicate", hall.vote(how="open"), "--verdict", "won", "--reason", "so")
    assert (under_way.code, "still in VOTE; wait for its verdict" in under_way.err) == (64, True)


def test_at_a_terminal_it_shows_what_was_concluded_and_asks(hall: Hall) -> None:
    session = hall.vote()
    terminal = hall.terminal("adjudicate", session)
    screen = terminal.until("verdict (won / stopped)>")
    assert "Tea or coffee?" in screen
    assert "2 noes" in screen
    assert "Verdict: UNDECIDED" in screen
    terminal.answer("maybe")
    terminal.until("Enter one of won, stopped.")
    terminal.answer("w")
    terminal.until("reason>")
    terminal.answer("")
    terminal.until("A ruling needs a reason.")
    terminal.answer("Tea it is")
    assert terminal.end() == 0
    assert "ruled WON by Ann Author <ann@example.org>: Tea it is" in terminal.everything.replace("\n", "")


def test_whoever_stops_at_the_terminal_has_ruled_nothing(hall: Hall) -> None:
    session = hall.vote()
    terminal = hall.terminal("adjudicate", session, "--verdict", "won")
    terminal.until("reason>")
    terminal.type("\x03")
    assert terminal.end() == 130
    assert hall.call("list", "--json").json()[0]["ruling"] is None


def test_every_list_tells_verdict_and_ruling_apart(hall: Hall) -> None:
    session = hall.vote()
    hall.call("adjudicate", session, "--verdict", "won", "--reason", "Everybody wants tea")
    (by_command,) = hall.call("list", "--json").json()
    with Quorate(hall.folder) as place:
        (by_program,) = place.sessions()
    by_http, by_tool, by_resource = asyncio.run(_served(hall))
    for told in (by_command, by_program, by_http, by_tool, by_resource):
        assert (told["verdict"], told["ruling"]) == ("UNDECIDED", "WON")
    for told in (by_command, by_program, by_http):
        assert (told["status"], told["waiting"], told["opened_at"]) == ("concluded", [], by_http["opened_at"])
    assert by_command["session"] == by_program["session"] == by_tool["session"] == by_http["id"] == session
    assert by_command["entries"] - 1 == by_program["last"] == by_tool["last"] == by_http["last"]


async def _served(hall: Hall) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the row of the only session as a server, a tool and a resource tell it."""
    async with serving(find_workspace(hall.folder, hall.env)) as server:
        (by_http,) = (await server.get("/api/sessions"))["sessions"]
    async with beside(hall) as assistant:
        (by_tool,) = (await assistant.call("list_sessions"))["sessions"]
        (found,) = (await assistant.client.read_resource("quorate://sessions")).contents
        assert isinstance(found, TextResourceContents)
        (by_resource,) = json.loads(found.text)
        offered = [each.description or "" for each in (await assistant.client.list_resources()).resources]
        assert any(each.startswith("voting, UNDECIDED, ruled WON. ") for each in offered)
    return by_http, by_tool, by_resource
