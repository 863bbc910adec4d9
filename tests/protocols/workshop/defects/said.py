"""What seats say in the small walks of the workshop: agendas, questions, responses, votes and syntheses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.types import Question
from quorate.protocols.workshop.rules.forms import (
    AgendaReport,
    AgendaTopic,
    Bound,
    Consent,
    Focus,
    Response,
    Ruling,
    RulingChoice,
    Vote,
    Votes,
)
from quorate.protocols.workshop.rules.items import KINDS, AgreementSeen
from quorate.protocols.workshop.rules.samples import filled
from quorate.protocols.workshop.rules.synthesis import (
    LISTS,
    Becomes,
    Change,
    Edit,
    EditKind,
    Field,
    Method,
    OpenSynthesis,
)
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

Values = Callable[[Question], tuple[Reply, ...]]
Maker = Callable[[Question], OpenSynthesis | None]
REQ, NFR = ArtifactType.REQ, ArtifactType.NFR
RETITLED = Edit(field=Field.TITLE, text=Prose("t"), kind=EditKind.CHANGED)
STRANGE = Edit(field=Field.SEVERITY, text=Prose("high"), kind=EditKind.CHANGED)


def these(*replies: Reply) -> Values:
    return lambda _: replies


# The agenda


def item(number: int, required: bool = False, minimum: int = 0, criteria: int = 1, stage: Bound = Bound.NONE) -> Any:
    return AgendaTopic(Key(f"T{number}"), required, criteria, minimum, (REQ,), stage)


def topics(*items: AgendaTopic) -> AgendaReport:
    return AgendaReport(items, 1, False)


def divided(parts: int, unlisted: bool = False) -> AgendaReport:
    """One topic, and documents in so many parts."""
    return AgendaReport((item(1),), parts, unlisted)


TWO = topics(item(1, True, 1), item(2))
OTHER = topics(item(1), item(2, True))
"""The required topic comes second."""
BOUND = topics(
    *(item(n, False, int(n == 1), 1, Bound(each)) for n, each in enumerate(("dreamer", "realist", "critic"), 1))
)
MIXED = topics(item(1, False, 0, 1, Bound.REALIST), item(2))
"""One topic waits for its stage, the other for none."""

# The question and participants


def asks(question: Question) -> tuple[Reply, ...]:
    """Every candidate, and the last one without a question."""
    named = tuple(filled(Focus, focus=key) for key in question.keys)
    return (*named, filled(Focus, question=Prose(" "), focus=question.keys[-1], blank=True))


def sure(*levels: int) -> Values:
    return these(*(filled(Response, confidence=level) for level in levels))


def contests(*levels: int) -> Values:
    """Sure of it, and contesting the first artifact where there is one."""

    def values(question: Question) -> tuple[Reply, ...]:
        found = [filled(Response, confidence=level) for level in levels]
        things = tuple(key for key in question.keys if not key.startswith("RUL"))
        if things:
            found.append(filled(Response, confidence=80, contested=things[:2]))
        if rulings := question.keys[len(things) :]:
            found.append(filled(Response, confidence=80, applied=rulings))
        return tuple(found)

    return values


def confirms(*levels: int) -> Values:
    """Sure of it, and saying that rulings are applied where there are any."""

    def values(question: Question) -> tuple[Reply, ...]:
        found = [filled(Response, confidence=level) for level in levels]
        if rulings := tuple(key for key in question.keys if key.startswith("RUL")):
            found.append(filled(Response, confidence=80, applied=rulings))
        return tuple(found)

    return values


def votes(*stances: str) -> Values:
    """Each stance for all drafts; `BARE` blocks without a change, `NONE` is no vote."""

    def values(question: Question) -> tuple[Reply, ...]:
        return tuple(Votes(Prose("p"), _keyed(question, each), 80) for each in stances)

    return values


def _keyed(question: Question, stance: str) -> Keyed[Vote]:
    if stance == "NONE":
        return Keyed()
    bare = stance != "BLOCK"
    said = Consent.BLOCK if stance == "BARE" else Consent[stance]
    vote = Vote(Prose("r"), Prose("" if bare else "c"), said, bare)
    return Keyed(dict.fromkeys(question.keys, vote))


# The synthesis


def says(**given: Any) -> OpenSynthesis:
    found: OpenSynthesis = filled(OpenSynthesis, **({"misquoted": False, "advises": True} | given))
    return found


def keys(question: Question, first: str) -> tuple[Key, ...]:
    return tuple(key for key in question.keys if key[0] == first and "-" not in key)


def known(question: Question, matters: bool) -> list[Key]:
    found = [key for key in question.keys if "-" in key and not key.startswith("RUL")]
    found = [key for key in found if key not in ahead(question)]
    return [key for key in found if ArtifactType(key.partition("-")[0]).is_matter is matters]


def ahead(question: Question) -> tuple[Key, ...]:
    """The ids of what the synthesis itself makes: the last four of each type that is no matter."""
    kinds = [kind for kind in ArtifactType if not kind.is_matter]
    own = {kind: [key for key in question.keys if key.startswith(f"{kind.value}-")] for kind in kinds}
    return tuple(key for keys in own.values() for key in keys[-4:])


def syntheses(*makers: Maker) -> Values:
    def values(question: Question) -> tuple[Reply, ...]:
        return tuple(dict.fromkeys(made for maker in makers if (made := maker(question)) is not None))

    return values


def nothing(_: Question) -> OpenSynthesis:
    return says(advises=False, recommendation=Prose(""), misquoted=True)


def covers(question: Question) -> OpenSynthesis | None:
    found = keys(question, "K")
    return says(covered=found[:1]) if found else None


def makes(
    *,
    kind: ArtifactType = REQ,
    number: int = 1,
    support: int = 9,
    against: int = 0,
    cover: bool = False,
    repeats: bool = False,
    seen: AgreementSeen = AgreementSeen.CONSENSUS,
    once: bool = True,
    **more: Any,
) -> Maker:
    """New artifacts with the first positions behind them and the last ones against them."""

    def maker(question: Question) -> OpenSynthesis | None:
        if once and known(question, kind.is_matter):
            return None
        said = keys(question, "P")
        opposed = said[len(said) - against :] if against else ()
        own = {"about": dispute(question).about} if kind is ArtifactType.CONF else {}
        made = filled(KINDS[kind], supported_by=said[:support], opposed_by=opposed, agreement=seen, **(own | more))
        name = next(name for name, each in LISTS.items() if each is kind)
        again = tuple(range(1, number + 1)) if repeats else ()
        return says(**{name: (made,) * number, "covered": keys(question, "K") if cover else (), "repeats": again})

    return maker


def replaces(*, support: int = 9, kind: ArtifactType = REQ, twice: bool = False) -> Maker:
    def maker(question: Question) -> OpenSynthesis | None:
        old = known(question, False)
        if not old or len(old) > 2:
            return None
        said = keys(question, "P")
        new = filled(KINDS[kind], supported_by=said[:support], supersedes=(old[-1],))
        name = next(name for name, each in LISTS.items() if each is kind)
        return says(**{name: (new, new) if twice else (new,)})

    return maker


def moves(
    becomes: Becomes, *, support: int = 9, edit: Edit = RETITLED, matter: bool = False, mute: bool = False
) -> Maker:
    """A move of the first artifact, or of the first matter."""

    def maker(question: Question) -> OpenSynthesis | None:
        found = known(question, matter)
        if not found:
            return None
        said = keys(question, "P")
        given = {"supported_by": said[:support], "unexplained": mute}
        return says(changes=(filled(Change, artifact=found[0], becomes=becomes, edits=(edit,), **given),))

    return maker


def resolves(method: Method, support: int) -> Maker:
    def maker(question: Question) -> OpenSynthesis | None:
        found = known(question, True)
        said = keys(question, "P")[:support]
        given = {"becomes": Becomes.RESOLVE, "method": method, "supported_by": said}
        return says(changes=(filled(Change, artifact=found[0], **given),)) if found else None

    return maker


def disputes(question: Question) -> OpenSynthesis | None:
    """A conflict, where fewer than two are open."""
    return says(conflicts=(dispute(question),)) if len(known(question, True)) < 2 else None


def dispute(question: Question) -> Any:
    """A conflict about the last artifact, or about the topic in focus where there is none."""
    about = tuple(known(question, False)[-1:]) or tuple(keys(question, "T"))
    return filled(KINDS[ArtifactType.CONF], about=about)


def nameless(question: Question) -> OpenSynthesis | None:
    """A conflict that names nothing in force."""
    return says(conflicts=(filled(KINDS[ArtifactType.CONF], about=keys(question, "P")[:1]),))


def owns(*, repeats: bool = False, change: bool = False, replaced: bool = False) -> Maker:
    """Two requirements and a conflict about the second; a change or a replacement of the first."""

    def maker(question: Question) -> OpenSynthesis | None:
        first, second, *_ = (key for key in ahead(question) if key.startswith("REQ"))
        if known(question, True) or len(known(question, False)) > 2:
            return None
        said = keys(question, "P")
        one, two = (
            filled(KINDS[REQ], supported_by=said, supersedes=each) for each in ((), (first,) if replaced else ())
        )
        moved = filled(Change, artifact=first, becomes=Becomes.WITHDRAW, supported_by=said, unexplained=False)
        return says(
            requirements=(one, two),
            conflicts=(filled(KINDS[ArtifactType.CONF], about=(second,)),),
            changes=(moved,) if change else (),
            repeats=(1,) if repeats else (),
        )

    return maker


def made_disputed(*, topic: bool = False) -> Maker:
    """A requirement, and a conflict about it or about its topic."""

    def maker(question: Question) -> OpenSynthesis | None:
        if known(question, True) or known(question, False):
            return None
        about = keys(question, "T") if topic else (Key("REQ-001"),)
        one = filled(KINDS[REQ], supported_by=keys(question, "P"))
        return says(requirements=(one,), conflicts=(filled(KINDS[ArtifactType.CONF], about=tuple(about)),))

    return maker


def unadvised(question: Question) -> OpenSynthesis | None:
    """A conflict without a recommendation."""
    conflict = (dispute(question),)
    return says(conflicts=conflict, advises=False) if len(known(question, True)) < 2 else None


def many(question: Question) -> OpenSynthesis | None:
    """Eight of eight types at once; sixty are the most."""
    if known(question, False):
        return None
    each = {name: (filled(KINDS[kind], supported_by=keys(question, "P")),) * 8 for name, kind in [*LISTS.items()][:8]}
    conflict = filled(KINDS[ArtifactType.CONF], about=keys(question, "T"))
    return says(**each, conflicts=(conflict,))


# A person

ALL_RULINGS = these(
    *(filled(Ruling, choice=choice, undecided=False) for choice in RulingChoice),
    filled(Ruling, decision=Prose(""), choice=RulingChoice.DECIDE, undecided=True),
)
