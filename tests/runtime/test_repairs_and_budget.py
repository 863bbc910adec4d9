"""A call that fits into the budget only without its repairs is made without them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from quorate.codec import encode_opening
from quorate.codec.journal_reader import protocol_digest
from quorate.core.forms import Prose
from quorate.core.record import Envelope, Opening, Record, Said
from quorate.core.types import Seat
from quorate.participants.check import Check
from quorate.participants.model import ModelParticipant
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Say
from quorate.participants.providers import parse_spec
from quorate.participants.tools import ContextFolder
from quorate.runtime.asks import request_of, worst_of
from quorate.runtime.budget import Budget, Purse
from quorate.runtime.executor import Executor
from quorate.store.memory import MemoryJournal
from tests.support.toy import Ballot, Voice, voting


@dataclass(frozen=True)
class Costly(Check):
    """A check that costs 1,000 tokens a try, and tells how many repairs it was allowed."""

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return 1_000 * (1 + repairs)

    async def reply(self, request: Request, say: Say) -> Answer | None:
        answer = await super().reply(request, say)
        return None if answer is None else replace(answer, tokens_in=1_000, detail=str(request.repairs))


async def test_repairs_are_given_up_before_the_call_is() -> None:
    protocol = voting(needed=2, most=1)
    opening = Opening("voting", "1", protocol_digest(protocol), "t", 1, {}, {}, {})
    record, journal = Record(protocol, opening, {}), MemoryJournal()
    await journal.create("s", "voting", "t", 0, encode_opening(opening, Envelope()), {})
    panel: dict[Seat, Participant] = {
        seat: Costly(lambda _: Ballot(Prose("so"), (), Voice.AYE)) for seat in protocol.seats
    }
    await Executor("s", record, journal, panel, Purse(Budget(tokens=3_000)), "me").drive()
    allowed = [line.envelope.detail for line in record.log if isinstance(line, Said)]
    assert allowed == ["2", "1", "0"]


async def test_looks_into_the_context_folder_are_reserved(tmp_path: Path) -> None:
    protocol = voting(needed=2, most=1)
    record = Record(protocol, Opening("voting", "1", protocol_digest(protocol), "t", 1, {}, {}, {}), {})
    model = ModelParticipant(parse_spec("openai:gpt-5"), env={})
    ask = record.session.open[0]
    plain = worst_of(model, request_of(record, ask, model, None)[0])
    looking = worst_of(model, request_of(record, ask, model, ContextFolder(tmp_path))[0])
    assert all(more.tokens > less.tokens for more, less in zip(looking, plain, strict=True))
