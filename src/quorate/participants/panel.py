"""Panel: which participant holds which seat, read from a YAML file.

    default: local:smollm2                       # every seat that is not named
    seats:
      judge: anthropic:claude-sonnet-5
      architect: {model: openai:gpt-5, max_tokens: 8000, timeout: 300}
      security: {model: "openai-compatible:qwen3@http://localhost:8080/v1", output: native}
      testing: script:replies.yaml
      person: person
      skeptic: {model: openai:gpt-5-mini, stronger: openai:gpt-5}     # from the second round on
      simplicity: {model: local:smollm2, samples: 5}                  # one of five replies is taken
    concurrency: {openai: 8}

A top-level `script: replies.yaml` sits on every seat that it has replies for. A person's seat stays a person's unless
it is named. Keys are in the environment and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.core.errors import InputError, SettingError
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.files.located_values import Located, located
from quorate.files.yaml import load
from quorate.participants.entries import (
    CONFIRMS,
    DEFAULT_MODEL,
    FROM,
    LOCAL_OPTIONS,
    MOST_AT_ONCE,
    MOST_ROUND,
    OPTIONS,
    SAMPLES,
    STRONGER,
    TOP,
    WHO,
    option_of,
    panel_schema,
)
from quorate.participants.model import ModelParticipant
from quorate.participants.person import Person
from quorate.participants.port import Participant, those_behind
from quorate.participants.providers import PROVIDERS, parse_spec
from quorate.participants.relay import FROM_ROUND, Confirmation, Relay
from quorate.participants.script import Script, ScriptParticipant, load_script
from quorate.participants.scriptfile import EVERY

if TYPE_CHECKING:
    from quorate.participants.measures import Measures

__all__ = ["DEFAULT_MODEL", "LOCAL_OPTIONS", "OPTIONS", "TOP", "Panel", "load_panel", "panel_schema"]
PERSON = Seat("person")


@dataclass(frozen=True, slots=True)
class Panel(Mapping[Seat, Participant]):
    """The participants by seat, every seat of the protocol and no other."""

    participants: Mapping[Seat, Participant]

    def __getitem__(self, seat: Seat) -> Participant:
        return self.participants[seat]

    def __iter__(self) -> Iterator[Seat]:
        return iter(self.participants)

    def __len__(self) -> int:
        return len(self.participants)

    def describe(self) -> dict[str, str]:
        """Return the participant's recorded name for each seat."""
        return {str(seat): participant.name for seat, participant in self.participants.items()}

    def problems(self) -> list[str]:
        """Return what keeps participants from answering (a missing key or package) and how to fix it, each once."""
        found: dict[str, None] = {}
        for participant in self._everybody():
            if isinstance(participant, ModelParticipant) and (problem := participant.problem()) is not None:
                found[problem] = None
        return list(found)

    def check(self, protocol: Protocol[Any]) -> None:
        """Raise InputError if a script names an unknown seat or brief, or has a reply that fits no form."""
        briefs = [name for name in protocol.briefs if "/" not in name]
        seats = [str(seat) for seat in protocol.seats]
        for participant in {id(each): each for each in self._everybody()}.values():
            if isinstance(participant, ScriptParticipant):
                participant.script.check(seats, briefs, tuple(protocol.domains))

    def _everybody(self) -> Iterator[Participant]:
        """Return every participant that answers on any seat, each once."""
        for participant in self.participants.values():
            yield from those_behind(participant)


def load_panel(
    source: Path | Mapping[str, Any] | None,
    seats: Collection[str],
    *,
    model: str | None = None,
    defaults: Mapping[str, Participant] | None = None,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
    measures: Measures | None = None,
) -> Panel:
    """Read a panel, or raise InputError with file and line. Nothing is called and no key is needed.

    `model` replaces the file's default. `defaults` are the seats held by a person or a check unless the file names
    them; the seat `person` is always a person's by default. Paths in a mapping and in `model` are relative to `folder`.
    Models that can measure answers measure the fields that `measures` names.
    """
    match source:
        case None:
            root = located({}, "panel")
        case Path():
            root = load(source)
            folder = source.parent
        case _:
            root = located(source, "panel")
    if root.value is None:
        root = replace(root, value={})
    seating = _Seating(
        root, tuple(map(Seat, seats)), os.environ if env is None else env, folder or Path(), measures or {}
    )
    return seating.seat_all(model, dict(defaults or {}))


@dataclass
class _Seating:
    """Reads one panel; seats with the same entry share one participant."""

    root: Located
    seats: tuple[Seat, ...]
    env: Mapping[str, str]
    folder: Path
    measures: Measures = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    made: dict[str, Participant] = field(default_factory=dict)

    def seat_all(self, model: str | None, own: dict[str, Participant]) -> Panel:
        given = self.root.mapping(TOP)
        named = given["seats"].mapping(self.seats, "seat") if "seats" in given else {}
        if "concurrency" in given:
            limits = given["concurrency"].mapping(tuple(PROVIDERS), "provider")
            self.limits = {name: each.whole(1, MOST_AT_ONCE) for name, each in limits.items()}
        script = self._script(given["script"]) if "script" in given else None
        for name, place in script.places.items() if script is not None else ():
            if name not in (*self.seats, EVERY):
                raise place.unknown("seat", name, self.seats)
        default = given.get("default", located(DEFAULT_MODEL, "the default model"))
        if model is not None:
            default = located(model, "the model that was asked for")
        own.setdefault(PERSON, Person())
        chosen: dict[Seat, Participant] = {}
        for seat in self.seats:
            if seat in named:
                chosen[seat] = self._entry(named[seat])
            elif script is not None and (seat in script.seats or (script.covers(seat) and seat not in own)):
                chosen[seat] = self._shared(script)
            elif seat in own:
                chosen[seat] = own[seat]
            elif script is not None and model is None and "default" not in given:
                has = ", ".join(script.seats)
                raise given["script"].error(
                    f"has replies for {has}, but none for the seat {seat}", f"replies for {seat}, or a `default`"
                )
            elif model is not None:
                chosen[seat] = self._asked_for(default)
            else:
                chosen[seat] = self._entry(default)
        return Panel(chosen)

    def _asked_for(self, node: Located) -> Participant:
        """Return the participant that the option `model` names, or raise SettingError for that option."""
        try:
            return self._entry(node)
        except InputError as error:
            raise SettingError(
                f"{node.value!r}: {error.what}", key="model", expected=error.expected, nearest=error.nearest
            ) from error

    def _entry(self, node: Located) -> Participant:
        if isinstance(node.value, str):
            return self._named(node, node, {})
        given = node.mapping((*WHO, STRONGER, *OPTIONS))
        first = self._one(node, given, STRONGER)
        return self._relay(first, given[STRONGER]) if STRONGER in given else first

    def _one(self, node: Located, given: Mapping[str, Located], *beside: str) -> Participant:
        """Return the participant of an entry; `beside` are the extra keys that the entry may have."""
        if ("model" in given) == ("script" in given):
            raise node.error("does not say who takes this seat", "either `model` or `script`")
        if "script" in given:
            node.mapping(("script", *beside))
            return self._shared(self._script(given["script"]))
        return self._named(node, given["model"], {name: each for name, each in given.items() if name in OPTIONS})

    def _relay(self, first: Participant, node: Located) -> Participant:
        """Return a relay with a stronger participant; neither may be a person or a relay."""
        from_round, confirms = FROM_ROUND, False
        if isinstance(node.value, str):
            stronger = self._named(node, node, {})
        else:
            given = node.mapping((*WHO, FROM, CONFIRMS, *OPTIONS))
            stronger = self._one(node, given, FROM, CONFIRMS)
            confirms = CONFIRMS in given and given[CONFIRMS].flag()
            if FROM in given:
                from_round = given[FROM].whole(2, MOST_ROUND)
                if confirms:
                    raise given[FROM].error(
                        "says from when on, and whoever confirms does so in every round", "one of both"
                    )
        if isinstance(first, Person) or isinstance(stronger, Person):
            raise node.error("has a person in a relay", "two models; for a person, name `person` alone on the seat")
        return Confirmation(first, stronger) if confirms else Relay(first, stronger, from_round)

    def _named(self, node: Located, spec: Located, options: Mapping[str, Located]) -> Participant:
        """Return the participant for `person`, `script:FILE`, `local:NAME` or `provider:model`."""
        kind, _, rest = spec.text("who sits here, such as openai:gpt-5, local:smollm2 or person").partition(":")
        if kind in ("person", "script") and options:
            raise next(iter(options.values())).error(f"is not an option of a {kind}", "options with a model alone")
        if spec.value == "person":
            return Person()
        if kind == "script":
            return self._shared(self._script(replace(spec, value=rest)))
        if SAMPLES in options:
            return self._samples(node, spec, options)
        values = {name: option_of(name, each) for name, each in options.items()}
        identity = repr((spec.value, sorted(values.items(), key=lambda item: item[0])))
        if identity not in self.made:
            try:
                self.made[identity] = self._local(rest, options) if kind == "local" else self._model(spec, values)
            except InputError as problem:
                if problem.file == spec.file:
                    raise
                raise spec.error(_with_file(problem), problem.expected, problem.nearest) from problem
        return self.made[identity]

    def _samples(self, node: Located, spec: Located, options: Mapping[str, Located]) -> Participant:
        """Return a participant that draws several replies of a model."""
        from quorate.participants.samples import Samples  # few seats have any

        if "temperature" in options and not option_of("temperature", options["temperature"]):
            raise options["temperature"].error("makes all samples alike", "a temperature above 0 beside `samples`")
        model = self._named(node, spec, {name: each for name, each in options.items() if name != SAMPLES})
        return Samples(model, option_of(SAMPLES, options[SAMPLES]))

    def _local(self, name: str, options: Mapping[str, Located]) -> Participant:
        from quorate.participants.local import LocalModel

        for option, each in options.items():
            if option not in LOCAL_OPTIONS:
                raise each.unknown("option of an embedded model", option, LOCAL_OPTIONS)
        given = {option: option_of(option, each) for option, each in options.items()}
        return LocalModel(name, measures=self.measures, **given)

    def _model(self, spec: Located, values: dict[str, Any]) -> Participant:
        provider, colon, _ = spec.text().partition(":")
        if "measure" in values:
            raise spec.error("has the option `measure`, which only embedded models have", "no such option")
        if colon and provider not in PROVIDERS:
            raise spec.unknown("provider", provider, (*PROVIDERS, "local", "script", "person"))
        parsed = parse_spec(spec.text())
        if (base_url := values.pop("base_url", None)) is not None:
            parsed = replace(parsed, base_url=base_url)
        if parsed.provider == "openai-compatible" and parsed.base_url is None:
            raise spec.error("has no address", "openai-compatible:NAME@http://host:port/v1, or `base_url`")
        price = values.pop("price", None)
        limit = self.limits.get(parsed.provider)
        return ModelParticipant(parsed, own_price=price, limit=limit, env=self.env, **values)

    def _shared(self, script: Script) -> Participant:
        return self.made.setdefault(f"script {script.file}", ScriptParticipant(script))

    def _script(self, node: Located) -> Script:
        path = self.folder / Path(node.text("the path of a script")).expanduser()
        if not path.is_file():
            raise node.error(f"the script {path} does not exist", "the path of a YAML file")
        return load_script(path)


def _with_file(problem: InputError) -> str:
    return problem.what if problem.file is None else f"{problem.file}: {problem.what}"
