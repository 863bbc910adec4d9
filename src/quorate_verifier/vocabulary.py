"""The names that a bundle may have, and which of its values are true or false: what is not here was not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate_verifier.report import Difference, shown

ENVELOPE: dict[str, Any] = {
    **dict.fromkeys(("seq", "at", "tokens_in", "tokens_out", "cost", "elapsed"), 0),
    **dict.fromkeys(("model", "detail"), ""),
    "attempts": 1,
    "unfit": [],
    "tokens_cached": 0,
    "measured": [],
}
"""What an entry tells beside the reply, unless it is this; the transcript tells it in any case, but for `SELDOM`."""
SELDOM = ("unfit", "tokens_cached", "measured")
EVENTS = frozenset(map(frozenset, (("ask", "reply"), ("ask", "absent"), ("interrupted",), ("ruled",))))
"""What an entry after the opening may be about, and never two of these."""
_EVENT_NAMES = frozenset(("opening", *(name for event in EVENTS for name in event)))
_STEP = "phase_entry phase rule claim outcome to"
_MEASURED = "at value said shares seen confidence stated"
_WHERE = {
    "": "format session title protocol seed panel material entries transcript decisions tallies verdict rulings"
    " degradation totals fates worth seal",
    "/protocol": "name version digest settings briefs seats initial table interrupts ends exit_codes rulings",
    "/protocol/table/*": "phase outcome to",
    "/protocol/interrupts/*": "reason to when",
    "/panel/*": "participant models",
    "/material/*": "digest characters text",
    "/entries/*": "seq hash body",
    "/entries/*/body": " ".join((*ENVELOPE, *_EVENT_NAMES)),
    "/entries/*/body/opening": "protocol version digest title seed settings panel material session briefs run",
    "/entries/*/body/opening/settings/termination_condition": "type threshold",
    "/entries/*/body/opening/settings/summarization": "enabled threshold max_length",
    "/entries/*/body/unfit/*": "at became why said",
    "/entries/*/body/measured/*": _MEASURED,
    "/entries/*/body/measured/*/shares/*": "answer share",
    "/entries/*/body/ruled": "verdict by reason",
    "/transcript/*": "ask seat brief form keys phase round status reply absent " + " ".join(ENVELOPE),
    "/transcript/*/unfit/*": "at became why said",
    "/transcript/*/measured/*": _MEASURED,
    "/transcript/*/measured/*/shares/*": "answer share",
    "/decisions/*": "phase_entry phase round cause outcome to detail heard because not_taken facts",
    "/decisions/*/because/*": "rule claim held outcome reached",
    "/decisions/*/not_taken/*": "outcome to why",
    "/decisions/*/facts/*": "name values",
    "/verdict": "verdict phase degradation interrupted derivation",
    "/verdict/derivation/*": _STEP,
    "/degradation": "level applied left absences",
    "/degradation/applied/*": _STEP,
    "/degradation/absences/*": "ask seat phase round reason detail",
    "/fates/*": "id what by said became rule",
    "/totals": "all seats phases first_at last_at",
    "/seal": "algorithm head entries",
}
NAMES = {place: frozenset(names.split()) for place, names in _WHERE.items()}
"""The names that may stand at a place; `*` is any name or number."""
_COUNTED = "max_episodes stall_after "
SETTINGS = {
    "council": _COUNTED + "depth gates quorum session_seed fail_fast deadlock_min_severity most_majors remediate"
    " seat_tokens channel reading unqualified_seats",
    "debate": _COUNTED + "agents rounds termination_condition interactive_clarifications clarifications_max_iterations"
    " clarifications_max_per_agent summarization anonymous retries required_agents judge_required reading"
    " unqualified_seats",
    "review": "max_episodes members veto_holders quorum attendance rounds abstain_below redebate blocking_severity"
    " confirm_items persona_tokens readings channel reading unqualified_seats style",
    "roundtable": _COUNTED + "personas phase step documents max_turns contexts classifier max_elaborations free_moves"
    " start reading",
    "workshop": _COUNTED + "workflow strategy participants pro con min_rounds max_rounds conclude_on escalation"
    " max_rounds_per_conflict confidence_below escalate_on critical_keywords threshold interactive format"
    " document_tokens reading unqualified_seats",
}
"""The settings under which each protocol is derived; one that is not among them might change any rule."""
_FLAGS = (
    "blank gaps applied unfounded quoted groundless incomplete passed unreasoned refuted required blocking unexplained"
    " misquoted advises undecided unlisted future_consideration words command whole divided sensitive"
    " anonymous interactive_clarifications judge_required enabled redebate confirm_items fail_fast remediate escalation"
    " interactive classifier"
)
FLAGS = frozenset(_FLAGS.split())
"""What is true or false in a reply or a setting; everywhere else a number is meant, or a text, and `true` is none."""


def unknown_names(data: dict[str, Any], protocol: str) -> Iterator[str]:
    """Yield the place of every name that nothing is known of."""
    for pattern, names in NAMES.items():
        for place, inner in _places(data, pattern.split("/")[1:]):
            yield from (f"{place}/{name}" for name in inner.keys() - names)
    if protocol in SETTINGS:
        for place, inner in _places(data, ["entries", "*", "body", "opening", "settings"]):
            yield from (f"{place}/{name}" for name in inner.keys() - set(SETTINGS[protocol].split()))


def _places(value: Any, path: list[str], place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every object at a place of this kind."""
    if path and path[0] == "*":
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for name, each in inner:
            yield from _places(each, path[1:], f"{place}/{name}")
    elif isinstance(value, dict) and path:
        yield from _places(value.get(path[0]), path[1:], f"{place}/{path[0]}")
    elif isinstance(value, dict):
        yield place, value


def wrong_kinds(data: dict[str, Any], protocol: str) -> Iterator[Difference]:
    """Yield entries that are about two things at once, and every `true` where a number is meant, and the reverse."""
    for index, entry in enumerate(data["entries"]):
        body, place = entry["body"], f"/entries/{index}/body"
        about = body.keys() & _EVENT_NAMES
        if about != {"opening"} if index == 0 else about not in EVENTS:
            expected = "a reply, an absence, an interruption or a ruling" if index else "the opening"
            yield Difference(place, f"it is about {', '.join(sorted(about)) or 'nothing'}", expected)
        for name in ENVELOPE.keys() & body.keys():
            kind = type(ENVELOPE[name])
            if type(body[name]) is not kind and not (name == "cost" and body[name] is None):
                yield Difference(
                    f"{place}/{name}", f"it is {shown(body[name])}", f"a value of the kind {kind.__name__}"
                )
        if protocol in SETTINGS:
            yield from _flags(body.get("reply"), f"{place}/reply")
            opening = body.get("opening")
            settings = opening.get("settings") if isinstance(opening, dict) else None
            yield from _flags(settings, f"{place}/opening/settings")


def _flags(value: Any, place: str, name: str = "") -> Iterator[Difference]:
    if isinstance(value, dict | list):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flags(each, f"{place}/{key}", key if isinstance(key, str) else name)
    elif isinstance(value, bool) and name not in FLAGS:
        yield Difference(place, f"it is {shown(value)}", "no true or false, which nothing here may be")
    elif isinstance(value, int) and not isinstance(value, bool) and name in FLAGS:
        yield Difference(place, f"it is {shown(value)}", "true or false")
