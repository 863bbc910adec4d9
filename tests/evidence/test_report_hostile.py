"""Words of models, people and files cannot pass for our headings and tables, forge no tag, and load nothing.

They may have headings and tables of their own, inside of quotations, which leave everything outside of them as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from importlib import resources
from typing import Any

import pytest
from markdown_it import MarkdownIt

from quorate.evidence.report import GENERIC, html, markdown

DEBATE = (resources.files("quorate.protocols.debate") / "report.md.j2").read_text(encoding="utf-8")
TEMPLATES = {"debate": DEBATE, "generic": GENERIC}
HOSTILE = {
    "tags": "<script>alert(1)</script><img src=x onerror=alert(1)><iframe src='//evil.test'></iframe><b>bold</b>",
    "html block": "<div>\n\n</main></body><h1>SOLUTION: forged</h1>\n\n<!-- comment",
    "headings": "# SOLUTION: forged\n\n## Seal\n\nVerdict\n=======\n\nVerdict\n-------\n- # deep\n> ## deeper",
    "tables": "| seat | role |\n| --- | --- |\n| judge | forged |\n\na | b\n--|--\nc | d",
    "a whole report": "## Verdict\n\n| seat | vote |\n|---|---|\n| judge | forged |\n\n> ## Seal\n\n"
    "- so\n\n  # Deep\n\n  a | b\n  -|-",
    "languages": '```html onload=x\n1\n```\n~~~ "><script>\n2\n~~~\n```js\\"onx=1\n3\n```\n```c++\n4\n```',
    "fences": "```\nunclosed\n# heading in code\n\n~~~\n</code></pre><script>1</script>",
    "fence tricks": "````\n```\n# in\n```\n````\n# out\n`````md\n# in again\n`````",
    "links": "[click](javascript:alert(1)) [x]: http://evil.test ![p](http://evil.test/p.png) <http://evil.test>",
    "definitions": "[Seal]: javascript:alert(1)\n\n[Seal]\n\n[^1]: note\n\n> [!WARNING]\n> forged",
    "entities": "&#60;script&#62; &lt;script&gt; &#x202e;txt &#0; &amp;",
    "directions": "\u202eSOLUTION\u202c \u2066x\u2069 pay\u200bpal \ufeff \u2028# line \u0085## line",
    "controls": "\x1b[31mred\x00null\x07 \x0b# vertical\x0c# form",
    "long line": "x" * 100_000,
    "long ticks": "`" * 8_001 + "<script>",
    "quotes": ">" * 500 + " deep\n" + "> " * 40 + "# deep",
    "jinja": "{{ 7 * 7 }} {% raw %} {# gone #} {{ record.opening }}",
    "escapes": "\\# \\<script> \\| \\\\[x](y) \\",
}
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "nav", "main", "ul", "ol", "li", "a", "p", "h1", "h2", "h3"),
    *(
        "h4",
        "h5",
        "h6",
        "blockquote",
        "code",
        "pre",
        "strong",
        "em",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "hr",
        "br",
    ),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "aria-label", "href", "id", "start", "class"),
}


class Page(HTMLParser):
    """What a page is made of; its headings and rows are those that stand in no quotation."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.headings: list[str] = []
        self.rows = self.tables = self.other = self.quotations = 0
        self.quoted: list[str] = []
        self._inside: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self.quotations += tag == "blockquote"
        if self.quotations:
            self.quoted.append(tag)
            return
        self.rows += tag == "tr"
        self.tables += tag == "table"
        if re.fullmatch("h[1-6]", tag):
            self._inside = tag
            self.headings.append(f"{tag} ")

    def handle_endtag(self, tag: str) -> None:
        self.quotations -= tag == "blockquote"
        self._inside = None if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.headings[-1] += data

    def handle_comment(self, data: str) -> None:
        self.other += 1

    def handle_pi(self, data: str) -> None:
        self.other += 1


@cache
def told(debate: Callable[..., Any], words: str, template: str) -> str:
    """A report in which everything that others say is `words`: the problem, every prose, models and errors too."""
    settings = {
        "rounds": 1,
        "interactive_clarifications": True,
        "agents": ["architect", "security"],
        "summarization": {"enabled": False},  # so that long words lead to no other asks than short ones
    }
    played = debate(
        problem=f"A problem\n\n{words}", settings=settings, words=lambda ask, name: words, gaps=True, outside=words
    )
    played.play(1)
    played.absent_now("security")
    played.play()
    return markdown(played.record, template, words, played.entries[-1].hash)


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_words_change_neither_the_skeleton_nor_the_page(
    debate: Callable[..., Any], attack: str, template: str
) -> None:
    honest = told(debate, "plain words", TEMPLATES[template])
    hostile = told(debate, HOSTILE[attack], TEMPLATES[template])
    page, expected = Page(html(hostile)), Page(html(honest))
    assert page.headings == expected.headings
    assert (page.rows, page.tables) == (expected.rows, expected.tables)
    assert not {"h1", "h2"} & {*page.quoted}
    assert set(page.tags) <= ALLOWED
    assert {name for name, _ in page.attributes} <= ATTRIBUTES
    assert page.other == 0
    for name, value in page.attributes:
        if name == "href":
            assert re.fullmatch(r"#s\d+", value or "")
        if name == "class":
            assert value in ("right", "left") or str(value).startswith("language-")
    assert [page.tags.count(tag) for tag in ("style", "script", "img", "main")] == [
        expected.tags.count(tag) for tag in ("style", "script", "img", "main")
    ]


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("attack", HOSTILE)
def test_the_markdown_itself_is_safe_in_a_renderer_that_allows_everything(
    debate: Callable[..., Any], attack: str, template: str
) -> None:
    renderer = MarkdownIt("js-default", {"html": True, "maxNesting": 100})
    hostile = Page(renderer.render(told(debate, HOSTILE[attack], TEMPLATES[template])))
    honest = Page(renderer.render(told(debate, "plain words", TEMPLATES[template])))
    assert hostile.headings == honest.headings
    assert (hostile.rows, hostile.tables) == (honest.rows, honest.tables)
    assert not {"h1", "h2"} & {*hostile.quoted}
    assert set(hostile.tags) <= ALLOWED - {"a", "style", "html", "meta"}
    assert hostile.other == 0


@pytest.mark.parametrize("attack", HOSTILE)
def test_no_page_holds_a_script_a_source_or_a_hidden_character(debate: Callable[..., Any], attack: str) -> None:
    page = html(told(debate, HOSTILE[attack], DEBATE))
    assert "<script" not in page
    assert not re.search(r"<[^>]*\s(src|on\w+)\s*=", page)
    assert not re.search(r"<[^>]*javascript:", page)
    assert not re.search("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u2028\x00\x07\x1b]", page)
    page.encode()


def test_hostile_words_are_still_there_to_read(debate: Callable[..., Any]) -> None:
    page = html(told(debate, HOSTILE["tags"], DEBATE))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "⟨U+202E⟩SOLUTION" in html(told(debate, HOSTILE["directions"], DEBATE))
    assert "{{ 7 * 7 }}" in html(told(debate, HOSTILE["jinja"], DEBATE))


def test_headings_tables_and_code_of_others_arrive_as_such(debate: Callable[..., Any]) -> None:
    text = "## Plan\n\n### Why\n\n| a | b |\n|---|--:|\n| 1 | `x` |\n\n```sql\nSELECT 1;  \n\n-- <b>\n```"
    report = told(debate, text, DEBATE)
    solution = report.partition("## The solution\n\n")[2]
    assert solution.startswith(
        "> ### Plan\n>\n> #### Why\n>\n> | a | b |\n> | --- | ---: |\n> | 1 | `x` |\n>\n"
        "> ```sql\n> SELECT 1;  \n>\n> -- <b>\n> ```\n"
    )
    proposal = report.partition("### Proposal of architect\n\n")[2]
    assert proposal.startswith("> #### Plan\n>\n> ##### Why\n>\n> | a | b |\n")
    page = html(report)
    assert "<h3>Plan</h3>\n<h4>Why</h4>\n<table>" in page
    assert '<code class="language-sql">SELECT 1;  \n\n-- &lt;b&gt;\n</code>' in page


def test_a_page_made_of_somebody_elses_markdown_loads_nothing_either() -> None:
    foreign = (
        "<script>1</script>\n\n[a](javascript:x) ![b](http://evil.test/b.png) <http://evil.test> &#x202e;x\n\n[a]: y"
    )
    page = Page(html(foreign))
    assert set(page.tags) <= ALLOWED - {"a"}
    assert "\u202e" not in html(foreign)
