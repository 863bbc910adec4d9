"""Script on a seat: a participant for tests, demos and examples that replies from a file."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from os import sep

from quorate.codec import Malformed, parse_entries
from quorate.core.form_values import Unfit, unfit_text
from quorate.core.forms import Reply
from quorate.core.types import Absent, AbsentReason
from quorate.core.view import estimate_tokens
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say
from quorate.participants.scriptfile import Script, ScriptLine, filled_in, load_script, replaced, script_schema

__all__ = ["Script", "ScriptParticipant", "load_script", "script_schema"]


@dataclass(frozen=True, slots=True)
class ScriptParticipant:
    """Replies with the script's entry for the seat, brief and occurrence. Stateless."""

    script: Script
    provider: str = "script"
    concurrency: int = 64
    window: int | None = None

    @property
    def name(self) -> str:
        return f"script:{self.script.file.replace(sep, '/').rpartition('/')[2]}"

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return max(prompt_tokens, self.script.most_shown) + self.script.longest

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return self.script.price.of(tokens_in, tokens_out)

    async def reply(self, request: Request, say: Say) -> Answer | None:
        ask, occurrence = request.ask, request.occurrence
        line = self.script.line(ask.seat, ask.brief, occurrence)
        if line is None:
            detail = f"{self.script.file} has nothing for {ask.seat}, {ask.brief}, time {occurrence}"
            return Answer(Absent(AbsentReason.SILENT), self.name, detail=detail)
        await self._speak(replaced(line.say, ask, occurrence), line, say)
        place = f"{line.at.file}:{line.at.line}"
        if line.absent is not None:
            return self._answer(request, line, Absent(line.absent), f"{place}: absent as the script says")
        assert line.reply is not None
        try:
            reply, unfit = parse_entries(ask, filled_in(ask, line.reply.plain(), occurrence), cut=False)
        except Malformed as problem:
            return self._answer(request, line, Absent(AbsentReason.MALFORMED), f"{place}: {problem}")
        return self._answer(request, line, reply, f"{place}: {unfit_text(unfit)}" if unfit else "", unfit)

    def _answer(
        self, request: Request, line: ScriptLine, reply: Reply | Absent, detail: str, unfit: tuple[Unfit, ...] = ()
    ) -> Answer:
        prompt = estimate_tokens(request.prompt.system) + estimate_tokens(request.prompt.user)
        tokens_in = prompt if line.tokens_in is None else line.tokens_in
        tokens_out = line.length
        cost = self.price(tokens_in, tokens_out) if line.cost is None else line.cost
        return Answer(reply, self.name, tokens_in, tokens_out, cost, detail=detail, unfit=unfit)

    async def _speak(self, text: str, line: ScriptLine, say: Say) -> None:
        delay = self.script.delay if line.delay is None else line.delay
        words = re.findall(r"\s*\S+", text) or [""]
        for word in words:
            if delay:
                await asyncio.sleep(delay / len(words))
            if word:
                say(word)
