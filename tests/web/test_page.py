"""The page's files: all that is served is known beforehand, and the import map names every module."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

import quorate.web
from quorate.web.page import MEDIA, asset, in_script, index, single

STATIC = Path(next(iter(quorate.web.__path__))) / "static"
FILES = {str(path.relative_to(STATIC)): path for path in STATIC.rglob("*") if path.suffix[1:] in MEDIA}
MODULES = {name: path for name, path in FILES.items() if name.endswith(".js")}


def import_map(html: str) -> dict[str, str]:
    found = re.search(r'<script type="importmap"[^>]*>(.*?)</script>', html, re.DOTALL)
    assert found is not None
    addresses: dict[str, str] = json.loads(found.group(1))["imports"]
    return addresses


def test_the_served_page_maps_every_module_and_loads_every_style() -> None:
    html = index().html
    assert import_map(html) == {f"quorate/{name[3:-3]}": f"/static/{name}" for name in MODULES}
    styles = re.findall(r'<link rel="stylesheet" href="/static/(css/[\w-]+\.css)">', html)
    assert sorted(styles) == sorted(name for name in FILES if name.endswith(".css"))
    assert styles[0] == "css/base.css"
    assert "<!-- quorate:" not in html
    assert "<noscript>" in html


def test_the_browser_is_told_at_once_of_what_the_page_begins_with() -> None:
    told = re.findall(r'<link rel="modulepreload" href="/static/(js/[\w/-]+\.js)">', index().html)
    assert len(told) == len(set(told))
    assert {"js/app.js", "js/dom.js", "js/source.js", "js/screens/sessions.js", "js/parts/transcript.js"} <= set(told)
    assert set(told) <= set(MODULES)
    assert index().html.index("importmap") < index().html.index("modulepreload")


def test_the_hash_is_that_of_the_only_inline_script() -> None:
    page = index()
    inline = [text for text in re.findall(r"<script[^>]*>(.*?)</script>", page.html, re.DOTALL) if text]
    assert len(inline) == 1
    assert page.script_hash == "sha256-" + base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
    assert not re.search(r"\son\w+=|style=", page.html)


@pytest.mark.parametrize("name", sorted(FILES))
def test_every_file_is_served_as_it_is(name: str) -> None:
    served = asset(name)
    assert served is not None
    assert served.content == FILES[name].read_bytes()
    assert served.media_type == MEDIA[FILES[name].suffix[1:]]
    assert re.fullmatch(r'"[0-9a-f]{32}"', served.etag)


STRANGE = ("", "/", ".", "..", "../page.py", "js/../../page.py", "/etc/passwd", "js", "js/", "js//app.js", "index.html")
STRANGER = ("js/app.js/", "js/app.js\0", "JS/APP.JS", "css/..%2f..%2fpage.py", "static/js/app.js", "\ud800")


@pytest.mark.parametrize("path", [*STRANGE, *STRANGER])
def test_nothing_else_is_served(path: str) -> None:
    assert asset(path) is None


@pytest.mark.parametrize("name", sorted(MODULES))
def test_modules_import_by_names_that_there_are_and_write_no_html(name: str) -> None:
    text = MODULES[name].read_text(encoding="utf-8")
    for imported in re.findall(r'^import\b[^;"]*?"([^"]+)"|\bimport\("([^"]+)"\)', text, re.MULTILINE):
        module = "".join(imported)
        assert module.startswith("quorate/")
        assert f"js/{module.removeprefix('quorate/')}.js" in MODULES, module
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://(?!www.w3.org/)[a-z]",
        text,
    )


def test_the_single_file_is_whole() -> None:
    html = single({"a": 1}, "<p>plain</p>", title="A <title>", noscript_css="p { color: red }")
    assert html.startswith("<!doctype html>")
    assert "<title>A &lt;title&gt;</title>" in html
    assert "<noscript>\n<p>plain</p></noscript>" in html
    assert not re.search(r'(?:src|href)="(?!data:)', html)
    modules = import_map(html)
    assert set(modules) == {f"quorate/{name[3:-3]}" for name in MODULES}
    for name, address in modules.items():
        text = base64.b64decode(address.removeprefix("data:text/javascript;base64,")).decode()
        assert text.startswith(FILES[f"js/{name.removeprefix('quorate/')}.js"].read_text(encoding="utf-8"))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert "unsafe" not in policy.group(1)
    assert "default-src 'none'" in policy.group(1)
    for style in re.findall(r"<style>(.*?)</style>", html, re.DOTALL):
        assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in policy.group(1)


def test_the_single_file_is_the_same_each_time_and_its_nonce_follows_from_what_it_holds() -> None:
    def nonce(html: str) -> set[str]:
        return set(re.findall(r"nonce[=-]\"?([\w+/=]{24})", html))

    one, again, other = single({"a": 1}, "x"), single({"a": 1}, "x"), single({"a": 2}, "x")
    assert one == again
    assert len(nonce(one)) == len(nonce(other)) == 1
    assert nonce(one) != nonce(other)


def test_data_cannot_end_its_script() -> None:
    hostile = {"a": "</script><script>alert(1)</script><!--", "b": "\u2028\u2029", "c": "\ud800", "d": "&amp;"}
    text = in_script(hostile)
    assert not re.search("[<>&\u2028\u2029\ud800]", text)
    assert json.loads(text) == hostile
    text.encode()
