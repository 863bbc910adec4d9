"""The channel between seats as a setting: only what departs from whole words is declared."""

from __future__ import annotations

from quorate.kit.channel import Channel, declared


def test_whole_words_need_no_mention_and_evidence_does() -> None:
    assert declared({"rounds": 2, "channel": Channel.PROSE.value}) == {"rounds": 2}
    assert declared({"rounds": 2, "channel": Channel.EVIDENCE.value}) == {"rounds": 2, "channel": "evidence"}
    assert declared({"rounds": 2}) == {"rounds": 2}
