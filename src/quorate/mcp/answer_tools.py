"""Tools for a session's questions to people and their answers."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from quorate import api
from quorate.codec import form_schema
from quorate.core.errors import InputError
from quorate.core.types import Ask
from quorate.core.view import View
from quorate.kit.offers import CHOICE
from quorate.mcp.arguments import Session
from quorate.mcp.desk import Desk
from quorate.mcp.quotations import passage
from quorate.mcp.status import Standing, standing
from quorate.mcp.tool import ANSWERS, READS, StrictTool, tool

MOST_SHOWN = 8_000
"""Characters of what one question is about."""


class Asked(BaseModel):
    """One question to a person."""

    ask: Annotated[str, Field(description="The id to answer under.")]
    seat: str
    brief: str
    says: Annotated[str, Field(description="Data between markers: what the person is asked and shown.")]
    form: Annotated[dict[str, Any], Field(description="JSON Schema of the answer. What is not required may be absent.")]
    choices: Annotated[dict[str, str], Field(description="What comes of each choice, where there is one.")]
    unanswered: Annotated[str, Field(description="The choice that has the same effect as declining; may be empty.")]


class Questions(BaseModel):
    """All that a session asks of people now."""

    session: str
    questions: list[Asked]
    next: str


class Answered(Standing):
    """Where a session stands after an answer."""

    counted: Annotated[bool, Field(description="False where an answer came first: that one counts.")]


QUESTIONS = """Return what a session asks a person now, and the form of each answer. Put it to the person you work for;
do not make up their answer. Then call `answer`."""
ANSWER = """Give a person's answer to a question of a session, under its `ask` id; `answer` is an object that fits the
form that `questions` returned. With `decline` the session is told that nobody will answer, and goes on without. The
first answer counts; the same one again is harmless. The session goes on at once, and its models cost money again."""


def answering_tools(desk: Desk) -> list[StrictTool]:
    """Return the tools that list and answer questions."""

    async def questions(session: Session) -> Questions:
        result = await desk.load(session)
        found = [_asked(result, ask, view) for ask, view in api.questions(result)]
        how = "Put them to the person you work for, then call `answer` once for each." if found else ""
        return Questions(session=result.session, questions=found, next=how or standing(result).next)

    async def answer(
        session: Session,
        ask: Annotated[str, Field(min_length=1, max_length=40, description="The id of the question.")],
        answer: Annotated[
            dict[str, Any] | None, Field(description="The answer, as the question's form wants it.")
        ] = None,
        decline: Annotated[bool, Field(description="Say that nobody will answer.")] = False,
    ) -> Answered:
        if decline == (answer is not None):
            raise InputError("either `answer` or `decline` is needed", expected="one of the two")
        found = await desk.find(session)
        if decline:
            counted = await api.decline(desk.workspace, desk.journal, found, ask)
        else:
            counted = await api.answer(desk.workspace, desk.journal, found, ask, answer)
        result = await desk.load(found)
        if result.record.session.conclusion is None:
            await desk.driving.start(found)  # a session that was opened elsewhere goes on from here too
        else:
            await desk.driving.look(found)
        return Answered(**standing(result).model_dump(), counted=counted)

    return [
        tool(questions, "Questions to a person", QUESTIONS, READS),
        tool(answer, "Answer a question", ANSWER, ANSWERS),
    ]


def _asked(result: api.Result, ask: Ask, view: View) -> Asked:
    offer = api.offer_of(result.record, ask)
    form = form_schema(ask.form, ask.keys)
    if offer is not None:  # some texts may be left out, and not every choice is there all the time
        choice = form["properties"][CHOICE] | {"enum": list(offer.does)}
        form["properties"] = form["properties"] | {CHOICE: choice}
        form["required"] = [name for name in form["required"] if name not in offer.optional]
    return Asked(
        ask=str(ask.id),
        seat=str(ask.seat),
        brief=ask.brief,
        says=_says(result, ask, view),
        form=form,
        choices=dict(offer.does) if offer is not None else {},
        unanswered=offer.unanswered if offer is not None else "",
    )


def _says(result: api.Result, ask: Ask, view: View) -> str:
    """Return the context of a question without the material, which the client itself provided."""
    brought = set(result.record.material.values())
    shown = [f"{each.title}\n{each.text}" for each in view.sections if each.text not in brought]
    brief = result.record.protocol.briefs.get(ask.brief, "").strip()
    text = "\n\n".join([*([brief] if brief else []), *shown])
    return passage(f"question {ask.id}", text, f"all of it: `quorate show {result.session}`", MOST_SHOWN)
