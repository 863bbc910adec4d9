"""Models asked plainly, without a seat or a form: for measured answers and the exam."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from hashlib import file_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.core.errors import InputError
from quorate.participants.faults import explain, wait_before_retry
from quorate.participants.model import ModelParticipant
from quorate.participants.port import Participant, those_behind
from quorate.participants.providers import Unusable, connect
from quorate.participants.token_odds import ALTERNATIVES, Alternatives, NoAnswerError, PlainAnswer, Respondent
from quorate.safety.secrets import without_secrets

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

    from quorate.participants.local import LocalModel

FEWEST_TOKENS = 16
"""Of a remote answer: less than this some providers refuse."""
THOUGHT_TOKENS = 1_024
"""Of a remote answer without probabilities: a model that thinks first needs room for it."""
GIVE_ODDS = frozenset({"openai", "openai-compatible", "ollama"})
"""Providers that are asked for probabilities; not every model or server of theirs gives them."""
MOST_RETRIES = 2
BAD_REQUEST = 400


class LocalRespondent:
    """An embedded model; it is loaded at the first question, and shares its engine with seats of the same window."""

    remote = False

    def __init__(self, model: LocalModel) -> None:
        self.model, self.name = model, model.name

    @property
    def version(self) -> str:
        """Digest of the weights."""
        return weights_digest(self.model.weights.path)

    async def hear(self, question: str, most_tokens: int, *, odds: bool) -> PlainAnswer:
        from quorate.participants.llama import engine_for

        try:
            engine = await asyncio.to_thread(engine_for, self.model.weights.path, self.model.window)
            loop, asked = asyncio.get_running_loop(), (("user", question),)
            text, alternatives = await loop.run_in_executor(
                engine.queue, engine.complete, asked, most_tokens, ALTERNATIVES if odds else 0
            )
        except InputError as error:
            raise NoAnswerError(f"{self.name}: {error}") from error
        return PlainAnswer(text, alternatives)


class RemoteRespondent:
    """A provider's model. Once it has given no probabilities it is asked without them, and has room to think first."""

    remote = True

    def __init__(self, who: ModelParticipant) -> None:
        self.who, self.name = who, who.name
        self.version = ""
        """The name of the model that the provider answered with, once it has."""
        self._gives_odds = who.spec.provider in GIVE_ODDS
        self._calls = 0

    async def hear(self, question: str, most_tokens: int, *, odds: bool) -> PlainAnswer:
        try:
            model = connect(self.who.spec, self.who.env)
        except Unusable as problem:
            raise NoAnswerError(str(problem)) from problem
        before = self._calls
        async with model:
            response = await self._send(model, question, most_tokens, odds=odds)
            found = _alternatives(response)
            if odds and self._gives_odds and not found:
                self._gives_odds = False
                if not (response.text or "").strip():  # it was still thinking when the few tokens were used up
                    response = await self._send(model, question, most_tokens, odds=False)
        self.version = response.model_name or self.version
        return PlainAnswer(response.text or "", found if odds else (), self._calls - before)

    async def _send(self, model: Model[Any], question: str, most_tokens: int, *, odds: bool) -> ModelResponse:
        """Send one question. Errors of transport are tried again; all others raise NoAnswerError."""
        import pydantic_ai.direct  # noqa: F401  (its import takes long, and is no part of the call's time)
        from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

        tried = 0
        while True:
            wants = odds and self._gives_odds
            self._calls += 1
            try:
                async with asyncio.timeout(self.who.timeout):
                    return await _request(model, question, self._settings(most_tokens, odds=wants))
            except TimeoutError:
                raise NoAnswerError(f"{self.name}: no answer within {self.who.timeout:g} seconds") from None
            except ModelAPIError as error:
                refused = isinstance(error, ModelHTTPError) and error.status_code == BAD_REQUEST
                if wants and refused and "logprob" in str(error).lower():
                    self._gives_odds = False
                    continue
                wait = wait_before_retry(error, tried, self.who.first_wait, 0)
                if wait is None or tried == MOST_RETRIES:
                    raise NoAnswerError(self._said(explain(error, self.who.spec))) from error
            except Exception as error:  # clients fail in ways of their own
                raise NoAnswerError(self._said(f"{self.name}: {type(error).__name__}: {error}")) from error
            tried += 1
            await asyncio.sleep(wait)

    def _settings(self, most_tokens: int, *, odds: bool) -> ModelSettings:
        room = max(most_tokens, FEWEST_TOKENS if odds else THOUGHT_TOKENS)
        settings: dict[str, Any] = {"max_tokens": room, "timeout": self.who.timeout + 5, "max_retries": 0}
        if odds:
            settings |= {"openai_logprobs": True, "openai_top_logprobs": ALTERNATIVES}
        return settings  # type: ignore[return-value]  # keys of one family of providers, which others pass over

    def _said(self, words: str) -> str:
        """Return a provider's words without the key that it may have quoted."""
        key = self.who.spec.key(self.who.env)
        return without_secrets(words if key is None else words.replace(key, "…"))


async def _request(model: Model[Any], question: str, settings: ModelSettings) -> ModelResponse:
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest

    return await model_request(model, [ModelRequest.user_text_prompt(question)], model_settings=settings)


def _alternatives(response: ModelResponse) -> Alternatives:
    """Return the alternatives of the first token; chat interfaces give them for the response, others for its text."""
    for holder in (response, *response.parts):
        details: Mapping[str, Any] = getattr(holder, "provider_details", None) or {}
        for token in (details.get("logprobs") or ())[:1]:
            return tuple((each["token"], each["logprob"]) for each in token.get("top_logprobs") or ())
    return ()


def respondent_for(participant: Participant) -> LocalRespondent | RemoteRespondent:
    """Return whom to ask plainly. Raises InputError for anybody who is not one model."""
    (who, *more) = those_behind(participant)
    if not more:
        if isinstance(who, ModelParticipant):
            return RemoteRespondent(who)
        if who.provider == "local":
            from quorate.participants.local import LocalModel

            if isinstance(who, LocalModel):
                return LocalRespondent(who)
    raise InputError(f"{participant.name} is not a model", expected="one model, such as local:smollm2 or openai:gpt-5")


def weights_digest(path: Path) -> str:
    """Return the SHA-256 of a model file; it is read again only where size or time have changed."""
    about = path.stat()
    return _digest(path, about.st_size, about.st_mtime_ns)


@lru_cache
def _digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


__all__ = ["LocalRespondent", "RemoteRespondent", "Respondent", "respondent_for", "weights_digest"]
