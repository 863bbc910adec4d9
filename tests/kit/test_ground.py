"""Ground: what stands in the material is found however it is quoted, and nothing else is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.forms import Prose
from quorate.kit.ground import is_grounded

DIFF = """\
@@ -17,7 +17,9 @@ def load(path):
     with open(path) as handle:
         text = handle.read()
-    return parse(text)
+    settings = parse(text, strict=False)
+    password = "hunter2-production"
+    return settings, password
 
 def parse(text, strict=True):
"""
RFC = "Entries are kept ninety days. The law says “thirty days” – see § 12.\n- Deleted entries can be restored."


@pytest.mark.parametrize(
    "evidence",
    [
        '+    password = "hunter2-production"',
        'password = "hunter2-production"',
        '`password = "hunter2-production"`',
        "password = 'hunter2-production'",
        'line 21: password = "hunter2-production"',
        'L21: password = "hunter2-production"',
        'app/load.py:21: password = "hunter2-production"',
        '21 | password = "hunter2-production"',
        '- line 21: `password = "hunter2-production"`',
        'settings = parse(text, strict=False)\npassword = "hunter2-production"',
        "    settings = parse(text, strict=False)\n    ...\n    return settings, password",
        "settings = parse(text, … return settings, password",
        "return parse(text)",
        "text = handle.read()\nreturn parse(text)",
        "text = handle.read()\nsettings = parse(text, strict=False)",
        '```python\npassword = "hunter2-production"\n```',
        'The production password is in the code: `password = "hunter2-production"`, which anybody can read.',
        "Here:\n```\nsettings = parse(text, strict=False)\n```\nso errors pass.",
    ],
)
def test_a_quotation_is_found_however_it_is_written(evidence: str) -> None:
    assert is_grounded(Prose(evidence), DIFF)


@pytest.mark.parametrize(
    "evidence",
    [
        "",
        "…",
        "line 21:",
        "The password is hard-coded.",
        "`load` reads a file that anybody can write.",
        "`password = 'another-one'` is in the code",
        'password = "hunter2-staging"',
        "settings = parse(text, strict=True)",
        "settings = parse(text, strict=False)\nos.remove(path)",
        "return settings, password\nreturn the settings to everybody",
        "```\nos.system(text)\n```",
        "}\n)\n]",
    ],
)
def test_other_words_are_no_quotation(evidence: str) -> None:
    assert not is_grounded(Prose(evidence), DIFF)


@pytest.mark.parametrize(
    "evidence",
    [
        "entries are kept ninety days",
        'The law says "thirty days" - see § 12',
        "“Entries are kept ninety\ndays.”",
        "Deleted entries can be restored",
        "- Deleted entries can be restored.",
    ],
)
def test_prose_is_quoted_with_other_marks_case_and_breaks(evidence: str) -> None:
    assert is_grounded(Prose(evidence), RFC)


def test_a_caller_asks_for_longer_quotations() -> None:
    assert is_grounded(Prose("kept ninety days"), RFC)
    assert not is_grounded(Prose("kept ninety days"), RFC, least=20)
    assert is_grounded(Prose("Entries are kept ninety days."), RFC, least=20)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_read_and_a_whole_line_of_it_is_ground(evidence: str, material: str) -> None:
    assert is_grounded(Prose(evidence), material) in (True, False)


@given(st.lists(st.sampled_from([*DIFF.split("\n"), *RFC.split("\n")]), min_size=1, max_size=4), st.integers(0, 3))
def test_every_line_of_the_material_is_ground(lines: list[str], at: int) -> None:
    material = "\n".join(lines)
    line = lines[at % len(lines)]
    if len("".join(line.split()).strip("'.,;:!?()[]+-–")) >= 12:
        assert is_grounded(Prose(line), material)
