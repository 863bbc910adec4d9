"""Routes for questions to people: of one session, of all sessions, and the answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Response
from pydantic import ConfigDict, Field, model_validator

from quorate import api
from quorate.api.question_data import asked
from quorate.core.errors import QuorateError
from quorate.http.desk import AtDesk, SessionId
from quorate.http.documents import Given, Strict, document
from quorate.http.problems import may_fail
from quorate.http.protocols import Tree
from quorate.http.strict import StrictRoute

router = APIRouter(prefix="/api", tags=["questions"], route_class=StrictRoute)
MOST_SESSIONS = 200
"""Sessions whose questions an inbox shows, the newest first."""


class Section(Given):
    title: str
    tree: Tree


class Offer(Given):
    """What a person is told of a form that offers a choice, with texts to fill in for some of them."""

    does: dict[str, str] = Field(description="What comes of each choice.")
    optional: list[str]
    needs: dict[str, str] = Field(description="By choice: the text that has to be filled in with it.")
    unanswered: str


class ShortQuestion(Given):
    ask: str
    seat: str
    brief: str
    form: str
    round: int
    says: Tree
    schema_: dict[str, Any] = Field(alias="schema", description="A JSON Schema of the answer.")
    offer: Offer | None
    keys: list[str]


class Question(ShortQuestion):
    sections: list[Section] = Field(description="What it is about.")


class InboxQuestion(ShortQuestion):
    session: str
    protocol: str
    title: str


def _one_of_them(schema: dict[str, Any]) -> None:
    """Add to the schema what a model cannot express: exactly one of the two fields is set."""
    schema["properties"] = {
        "answer": {"type": "object", "description": "As the question's schema has it."},
        "decline": {"const": True, "description": "Nobody will answer."},
    }
    schema["oneOf"] = [{"required": ["answer"]}, {"required": ["decline"]}]


class ToAnswer(Strict):
    """An answer as the question's schema has it, or the word that nobody will answer."""

    model_config = ConfigDict(json_schema_extra=_one_of_them)

    answer: dict[str, Any] | None = None
    decline: Literal[True] | None = None

    @model_validator(mode="after")
    def _one(self) -> ToAnswer:
        if (self.answer is None) == (self.decline is None):
            raise ValueError('give either {"answer": {…}} or {"decline": true}')
        return self


class Answered(Given):
    counted: bool = Field(description="False where an answer came first, which counts.")


@router.get(
    "/sessions/{session}/questions",
    summary="Read what a session asks people",
    response_model=list[Question],
    responses=may_fail(404, 409),
)
async def questions(desk: AtDesk, session: SessionId) -> Response:
    """Every open question with what it is about, and the schema of its answer."""
    return document(asked((await desk.folds.get(session)).result))


@router.get(
    "/inbox", summary="Read what all sessions ask people", response_model=list[InboxQuestion], responses=may_fail()
)
async def inbox(desk: AtDesk) -> Response:
    """Every open question to a person, without what it is about."""
    waiting = [each for each in await api.list_sessions(desk.journal) if each.waits_for_answers]
    found: list[dict[str, Any]] = []
    for each in waiting[:MOST_SESSIONS]:
        try:
            result = (await desk.folds.get(each.id)).result
        except QuorateError:
            continue  # a session that cannot be read does not hide the others; the list says why
        if api.outdated(result.record):
            continue  # its answers would be refused
        of = {"session": each.id, "protocol": each.protocol, "title": each.title}
        found += [of | question for question in asked(result, sections=False)]
    return document(found)


@router.post(
    "/sessions/{session}/answers/{ask}",
    summary="Answer a question",
    response_model=Answered,
    responses=may_fail(404, 409, 413, 415),
)
async def answer(
    desk: AtDesk,
    session: SessionId,
    ask: Annotated[str, Path(pattern=r"^[0-9]{1,9}\.[0-9]{1,9}$", description="The id of the question.")],
    body: ToAnswer,
) -> Response:
    """The first answer counts; the same one twice is harmless. A bad answer changes nothing."""
    await desk.folds.get(session)
    if body.answer is not None:
        counted = await api.answer(desk.workspace, desk.journal, session, ask, body.answer)
    else:
        counted = await api.decline(desk.workspace, desk.journal, session, ask)
    await desk.host.look(session)
    return document({"counted": counted})
