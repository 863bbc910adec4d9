"""The page's files, for a server, or combined with one session's data into a single file.

The modules import each other by names such as `quorate/dom`. An import map, generated here from the existing files,
resolves them: to `/static/` URLs when served, to data: URLs in the single file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from typing import Any

HEAD, BODY, TITLE = "<!-- quorate:head -->", "<!-- quorate:body -->", "<title>Quorate</title>"
MEDIA = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webp": "image/webp",
}
"""What is served, by how a file's name ends; nothing else is."""
FIRST = ("base", "shell")
"""Styles that others build upon; the rest follow in the order of their names."""
SOON = ("quorate/app", "quorate/screens/sessions", "quorate/screens/session")
"""Modules that are needed in the first moments."""
START = 'import "quorate/app";'
DATA = "quorate-data"
WITHOUT = (
    "<noscript><p>This page needs JavaScript. <code>quorate report</code> writes reports that do not.</p></noscript>"
)
ALONE = "#page { display: none } main { overflow: visible }\n"
"""What the report needs where it stands without the page."""
_IMPORTED = re.compile(r'^import\b[^;"]*"(quorate/[\w/-]+)"', re.MULTILINE)
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Page:
    """The served page, and the hash of its import map for the content security policy."""

    html: str
    script_hash: str


@dataclass(frozen=True, slots=True)
class Asset:
    """A served file of the page."""

    content: bytes
    media_type: str
    etag: str


@cache
def index() -> Page:
    """Return the page to serve."""
    addresses = {name: f"/static/{path}" for name, path in _modules().items()}
    mapped = json.dumps({"imports": addresses}, indent=1)
    links = [f'<link rel="stylesheet" href="/static/{path}">' for path in _styles()]
    loads = [f'<link rel="modulepreload" href="{addresses[name]}">' for name in _wanted_first()]
    script = f'<script type="importmap">{mapped}</script>'
    start = '<script type="module" src="/static/js/app.js"></script>'
    return Page(_filled("\n".join((*links, script, *loads, start)), WITHOUT), _hash(mapped))


def asset(path: str) -> Asset | None:
    """Return a file by its path below `static`; None if the page has no such file."""
    content, media_type = _files().get(path), MEDIA.get(path.rpartition(".")[2])
    if content is None or media_type is None:
        return None
    return Asset(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:32]}"')


def single(data: Mapping[str, Any], noscript_html: str, *, title: str = "Quorate", noscript_css: str = "") -> str:
    """Return the page with the data of one session as a self-contained file that needs no server.

    `noscript_html` is shown if scripts are off; the caller must have made it safe. Scripts run by a nonce derived from
    the whole file, so content in the file cannot know it.
    """
    addresses = {name: _address(name, _files()[path]) for name, path in _modules().items()}
    mapped, carried = json.dumps({"imports": addresses}), in_script(data)
    style = "\n".join(_files()[path].decode() for path in _styles())
    everything = "\0".join((mapped, carried, style, noscript_html, title, noscript_css))
    nonce = base64.b64encode(hashlib.sha256(everything.encode(errors="replace")).digest()[:18]).decode()
    plain = ALONE + noscript_css
    styles = " ".join(f"'{_hash(text)}'" for text in (style, plain))
    policy = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; style-src {styles}; img-src data:; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
        f"<noscript><style>{plain}</style></noscript>\n"
        f'<script type="importmap" nonce="{nonce}">{mapped}</script>'
    )
    body = (
        f'<script type="application/json" id="{DATA}">{carried}</script>\n'
        f"<noscript>\n{noscript_html}</noscript>\n"
        f'<script type="module" nonce="{nonce}">{START}</script>'
    )
    return _filled(head, body, escape(title))


def in_script(data: Any) -> str:
    """Return data as JSON that cannot end a script element early and can be encoded in any file."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _filled(head: str, body: str, title: str = "Quorate") -> str:
    before, after_head = _files()["index.html"].decode().split(HEAD)
    between, after_body = after_head.split(BODY)
    return before.replace(TITLE, f"<title>{title}</title>") + head + between + body + after_body


def _address(name: str, content: bytes) -> str:
    """Return a module as a data: URL, with a source name for browser developer tools."""
    named = content + f"\n//# sourceURL={name}.js\n".encode()
    return f"data:text/javascript;base64,{base64.b64encode(named).decode()}"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _modules() -> dict[str, str]:
    """Return all modules by import name."""
    scripts = (path for path in _files() if path.startswith("js/") and path.endswith(".js"))
    return {f"quorate/{path[3:-3]}": path for path in scripts}


def _wanted_first() -> list[str]:
    """Return the page's entry modules and all they import, to be preloaded."""
    modules, found = _modules(), list(SOON)
    for name in found:
        text = _files()[modules[name]].decode()
        found += [each for each in _IMPORTED.findall(text) if each not in found]
    return found


def _styles() -> list[str]:
    found = {path[4:-4]: path for path in _files() if path.startswith("css/")}
    return [found.pop(name) for name in FIRST if name in found] + list(found.values())


@cache
def _files() -> Mapping[str, bytes]:
    """Return all files of the page by path, read once, so that request paths never reach the disk."""
    found: dict[str, bytes] = {}
    _read(resources.files("quorate.web") / "static", "", found)
    return found


def _read(folder: Any, prefix: str, found: dict[str, bytes]) -> None:
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.is_dir():
            _read(item, f"{prefix}{item.name}/", found)
        elif item.name == "index.html" or item.name.rpartition(".")[2] in MEDIA:
            found[prefix + item.name] = item.read_bytes()
