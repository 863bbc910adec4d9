"""What a model streams is JSON under way; what a person reads is what it says."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from quorate.cli.speech import readable

REPLY = {
    "reasoning": 'It is "simple".\nReally.',
    "questions": [{"text": "How many? ä"}],
    "confidence": 80,
    "done": True,
}


def test_a_whole_form_is_read_as_its_values_under_their_names() -> None:
    assert readable(json.dumps(REPLY)) == (
        'reasoning: It is "simple".\nReally.\ntext: How many? ä\nconfidence: 80\ndone: true'
    )


def test_a_fence_around_the_form_is_left_out() -> None:
    assert readable("```json\n" + '{"text": "Use one queue."}' + "\n```") == "text: Use one queue."


def test_plain_speech_stays_as_it_is() -> None:
    assert readable('I think "so", {really}') == 'I think "so", {really}'


def test_every_beginning_of_a_form_is_readable_and_only_grows() -> None:
    whole = json.dumps(REPLY)
    seen = [readable(whole[:end]) for end in range(1, len(whole) + 1)]
    assert seen[-1] == readable(whole)
    assert 'reasoning: It is "simple".\nReal' in seen
    assert not [text for text in seen if "\\" in text or "\\u00" in text]


@given(st.text(max_size=200))
def test_no_text_at_all_makes_it_fail(text: str) -> None:
    assert isinstance(readable("{" + text), str)
