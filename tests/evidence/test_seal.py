"""The chain holds, or says where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from quorate.codec.chain import GENESIS, Entry, chain
from quorate.evidence.seal import SealFault, check_chain


def journal(length: int = 6) -> list[Entry]:
    entries: list[Entry] = []
    previous = GENESIS
    for seq in range(length):
        body = f'{{"at":{seq}}}'
        previous = chain(previous, body)
        entries.append(Entry(seq, body, previous))
    return entries


def test_a_whole_chain_is_ok_and_knows_its_head() -> None:
    entries = journal()
    seal = check_chain(entries, head=entries[-1].hash, count=6)
    assert seal.ok
    assert (seal.entries, seal.head) == (6, entries[-1].hash)


@pytest.mark.parametrize("place", range(6))
def test_a_changed_body_is_told_from_a_changed_hash(place: int) -> None:
    entries, head = journal(), journal()[-1].hash
    bodies = [*entries[:place], replace(entries[place], body='{"at":9}'), *entries[place + 1 :]]
    broken = check_chain(bodies, head=head).broken
    assert broken is not None
    assert (broken.seq, broken.damage) == (place, SealFault.BODY)
    hashes = [*entries[:place], replace(entries[place], hash="f" * 64), *entries[place + 1 :]]
    broken = check_chain(hashes, head=head).broken
    assert broken is not None
    assert (broken.seq, broken.damage) == (place, SealFault.HASH)


def test_the_last_entry_without_a_known_head_may_be_damaged_either_way() -> None:
    entries = journal()
    broken = check_chain([*entries[:-1], replace(entries[-1], body="{}")]).broken
    assert broken is not None
    assert (broken.seq, broken.damage) == (5, SealFault.EITHER)


@pytest.mark.parametrize(
    ("damaged", "seq", "damage"),
    [
        (lambda e: [*e[:2], *e[3:]], 2, SealFault.MISSING),
        (lambda e: e[1:], 0, SealFault.MISSING),
        (lambda e: [e[0], e[2], e[1], *e[3:]], 1, SealFault.ORDER),
        (lambda e: [*e, e[3]], 6, SealFault.ORDER),
        (lambda e: [e[0], replace(e[2], seq=1), replace(e[1], seq=2), *e[3:]], 1, SealFault.ORDER),
        (lambda e: [e[0], *(replace(each, seq=each.seq - 1) for each in e[2:])], 1, SealFault.BODY),
        (lambda e: e[:4], 4, SealFault.CUT),
        (lambda e: [], 0, SealFault.EMPTY),
    ],
    ids=["taken out", "first out", "swapped", "doubled", "swapped, renumbered", "out, renumbered", "cut", "empty"],
)
def test_missing_moved_and_cut_entries_are_located(
    damaged: Callable[[list[Entry]], list[Entry]], seq: int, damage: SealFault
) -> None:
    entries = journal()
    broken = check_chain(damaged(entries), head=entries[-1].hash, count=6).broken
    assert broken is not None
    assert (broken.seq, broken.damage) == (seq, damage)
    assert f"entry {seq}" in str(broken)


def test_a_chain_that_was_written_anew_is_found_by_its_head_alone() -> None:
    other = journal(5)
    body = '{"at":99}'
    forged = [*other, Entry(5, body, chain(other[-1].hash, body))]
    assert check_chain(forged).ok
    broken = check_chain(forged, head=journal()[-1].hash, count=6).broken
    assert broken is not None
    assert broken.damage is SealFault.HEAD


def test_a_chain_that_is_too_long_is_no_better_than_one_that_is_too_short() -> None:
    entries = journal(7)
    broken = check_chain(entries, head=entries[5].hash, count=6).broken
    assert broken is not None
    assert broken.damage is SealFault.HEAD


def test_a_body_that_is_no_text_is_damage_and_no_crash() -> None:
    entries = journal()
    broken = check_chain([entries[0], replace(entries[1], body='"\ud800"'), *entries[2:]]).broken
    assert broken is not None
    assert broken.seq == 1
