"""Read a journal: verify the hash chain, compare the rules, and fold the events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from quorate.codec.canonical import canonical, digest_text
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.codec.entries import decode_entry, decode_opening
from quorate.codec.schema import form_schema
from quorate.core.errors import RulesChanged, RuleViolation, StoreError
from quorate.core.forms import Key
from quorate.core.protocol import Protocol
from quorate.core.record import Opening, Record
from quorate.core.shapes import Group, Many, PerKey, Shape, shape_of


class BadEntry(StoreError):
    """An entry that is missing, was changed, or cannot be decoded; `seq` is its sequence."""

    def __init__(self, seq: int, what: str) -> None:
        self.seq = seq
        super().__init__(what)


def protocol_digest(protocol: Protocol[Any], briefs: Mapping[str, str] | None = None) -> str:
    """Return the digest that pins a session to its rules: what is declared, without source lines and seed.

    `briefs` are the digests of the prompts, for callers that do not have their texts.
    """
    forms: Iterable[Any] = protocol.domains
    declared = {
        "name": protocol.name,
        "version": protocol.version,
        "initial": protocol.initial.name,
        "table": {
            phase.name: {outcome.name: to.name for outcome, to in rows.items()}
            for phase, rows in protocol.table.items()
        },
        "interrupts": {
            reason.value: [interrupt.to.name, interrupt.when.value] for reason, interrupt in protocol.interrupts.items()
        },
        "verdicts": sorted(phase.name for phase in protocol.verdicts),
        "exit_codes": {verdict.name: code for verdict, code in protocol.exit_codes.items()},
        "forms": sorted(map(_declared_form, forms)),
        "briefs": {name: digest_text(text) for name, text in protocol.briefs.items()}
        if briefs is None
        else dict(briefs),
        "settings": protocol.settings,
        "seats": [str(seat) for seat in protocol.seats],
        "people": sorted(protocol.people),
        "checks": sorted(protocol.checks),
        "limits": {"episodes": protocol.limits.episodes, "stall": protocol.limits.stall},
    }
    if protocol.rulings:
        declared["rulings"] = {
            verdict.name: [each.name for each in allowed] for verdict, allowed in protocol.rulings.items()
        }
    return digest_text(canonical(declared))


@cache
def _declared_form(form: Any) -> str:
    """Return a form as the digest has it; one key stands for all, so that per-key asks are part of the digest."""
    schema = form_schema(form, (Key("key"),))
    return canonical({"name": form.__name__, "schema": schema, "marks": sorted(_marks(shape_of(form), ""))})


def _marks(shape: Shape, path: str) -> Iterable[str]:
    match shape:
        case Many(item=item) | PerKey(item=item):
            yield from _marks(item, path)
        case Group(fields=fields):
            for each in fields:
                if each.mark is not None:
                    yield f"{path}{each.name}"
                yield from _marks(each.shape, f"{path}{each.name}.")
        case _:
            return


def read_record(protocol: Protocol[Any], entries: list[Entry], material: Mapping[str, str]) -> Record:
    """Fold a journal into its record; `material` holds the texts by name.

    Raises StoreError for a broken chain or damaged material, and RulesChanged if the rules are not the session's.
    """
    check_chain(entries)
    opening, _ = decode_opening(entries[0].body)
    check_rules(protocol, opening)
    check_material(opening, material)
    return fold(Record(protocol, opening, material), entries[1:])


def fold(record: Record, entries: Iterable[Entry]) -> Record:
    """Fold entries into a record, in order; BadEntry if one cannot be decoded, RulesChanged if one is illegal."""
    for entry in entries:
        try:
            event, envelope = decode_entry(entry.body, record.session.asks)
        except StoreError as error:
            raise BadEntry(entry.seq, str(error)) from error
        if envelope.seq != entry.seq:
            raise BadEntry(entry.seq, f"entry {entry.seq} says that it is entry {envelope.seq}")
        try:
            record.take(event, envelope)
        except RuleViolation as error:
            raise RulesChanged(f"entry {entry.seq} is not possible under these rules: {error}") from error
    return record


def check_chain(entries: list[Entry], previous: str = GENESIS, first: int = 0) -> None:
    """Raise BadEntry, naming the entry, if a sequence is missing or a hash does not match."""
    if not entries and first == 0:
        raise BadEntry(0, "the journal has no entries, not even its opening")
    for seq, entry in enumerate(entries, start=first):
        if entry.seq != seq:
            raise BadEntry(seq, f"entry {seq} is missing; entry {entry.seq} is in its place")
        previous = chain(previous, entry.body)
        if entry.hash != previous:
            raise BadEntry(seq, f"entry {seq} does not match its hash: it, or the entry before it, was changed")


def check_rules(protocol: Protocol[Any], opening: Opening, briefs: Mapping[str, str] | None = None) -> None:
    """Raise RulesChanged unless the session began under exactly these rules; `briefs` as for `protocol_digest`."""
    if opening.protocol != protocol.name:
        raise RulesChanged(f"the session is a {opening.protocol}, not a {protocol.name}")
    if opening.version != protocol.version:
        raise RulesChanged(
            f"the session began under version {opening.version} of {protocol.name}; this is version {protocol.version}"
        )
    if opening.digest != (found := protocol_digest(protocol, briefs)):
        raise RulesChanged(
            f"the session began under other rules of {protocol.name} (digest {opening.digest[:12]}, now {found[:12]}): "
            "its table, forms, briefs, seats or settings have changed since"
        )


def check_material(opening: Opening, material: Mapping[str, str]) -> None:
    """Raise StoreError unless these are the texts that the session was opened with."""
    if odd := set(opening.material) ^ set(material):
        raise StoreError(f"the session's material {', '.join(sorted(odd))} is missing or was not part of it")
    for name, digest in opening.material.items():
        if digest_text(material[name]) != digest:
            raise StoreError(f"the material {name} is not the text that the session was opened with")
