"""The reader and the clerk in a session: what the protocol shows them is what they can work with (T15, T23, T24)."""

from __future__ import annotations

import json
from pathlib import Path

from quorate.codec import form_schema
from quorate.core.types import Replied
from quorate.participants.check import Check
from quorate.participants.port import Answer, Prompt, Request
from quorate.protocols.roundtable.rules.forms import Appended, Intent, Kept, Reading, Recorded, Written
from quorate.protocols.roundtable.world.seats.clerk import clerk
from quorate.protocols.roundtable.world.seats.reader import reader
from tests.support.roundtables import Talk


async def answered(talk: Talk, seat: Check) -> Answer:
    """Let a seat answer what is asked now, with the view of the protocol."""
    ask = talk.ask
    assert ask.seat == seat.name
    request = Request(ask, talk.view(), Prompt("", ""), form_schema(ask.form, ask.keys), 1, 1)
    found = await seat.reply(request, lambda _: None)
    assert found is not None
    talk.take(Replied(ask.id, found.reply))
    return found


async def test_two_elaborations_from_the_menu_to_the_files(tmp_path: Path) -> None:
    (tmp_path / "requirements.md").write_text("# Requirements\n\n## Borrowed books\n\n## Other\n")
    (tmp_path / "architecture.md").write_text("# Architecture")
    keeper = clerk({"folder": str(tmp_path), "meta": "meta.json", "digests": {}})
    talk = Talk(documents=2)
    for number in (1, 2):
        talk.elaborate().frame("alex").round()
        talk.reply("turn", {"text": "Jordan, what if the mail bounces?"})
        read = (await answered(talk, reader())).reply
        assert isinstance(read, Reading)
        assert (read.intent, read.addressed) == (Intent.ADDRESS, ("system-designer",))
        talk.round().reply("turn", {"text": "Thanks, let's wrap up."})
        read = (await answered(talk, reader())).reply
        assert isinstance(read, Reading)
        assert read.intent is Intent.EXIT
        talk.synthesise(
            insights=[{"text": f"Mails bounce, {number}.", "by": ["system-designer", "user"], "document": ["D2"]}],
            decisions=[{"text": f"Remind twice, {number}.", "rationale": "Once is missed.", "by": [], "document": []}],
        )
        added = await answered(talk, keeper)
        assert isinstance(added.reply, Appended), added.detail
        assert {each.result for each in added.reply.documents} == {Written.ADDED}
        kept = await answered(talk, keeper)
        assert isinstance(kept.reply, Recorded), kept.detail
        assert kept.reply.result is Kept.WRITTEN
    requirements = (tmp_path / "requirements.md").read_text()
    assert requirements.startswith("# Requirements\n\n## Borrowed books\n\n<!-- quorate roundtable 01-03 ")
    assert requirements.endswith("\n## Other\n")
    assert "- Remind twice, 1. Rationale: Once is missed.\n" in requirements
    assert (tmp_path / "architecture.md").read_text().count("[Jordan/User]") == 2
    records = json.loads((tmp_path / "meta.json").read_text())["elaborations"]
    assert [(each["session"], each["elaboration"]) for each in records] == [("roundtable-1", 1), ("roundtable-1", 2)]
    assert {len(each["personas_active"]) for each in records} == {3}
