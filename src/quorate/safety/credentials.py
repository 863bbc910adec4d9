"""Finds secrets in one line: formats of providers, values named as secrets, and values that must have been drawn.

`detect-secrets` brings most formats. Its expressions are applied directly: its inline pragmas (`allowlist secret`)
are never looked at, since a change could bring its own, and its verification, which calls the provider, never runs.
Its keyword rule is not used: on hostile lines it takes time in the cube of their length, and it does not know tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache
from importlib import import_module

from quorate.safety.randomness import (
    is_blank,
    is_drawn,
    is_sample_password,
    is_strong,
    is_written,
    login_in,
)


class Grade(Enum):
    """How sure it is, the surest first."""

    PROVEN = "proven"
    WEAK = "weak"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Hit:
    value: str
    rule: str
    grade: Grade
    what: str
    """What it is, for people."""


# Formats of providers. Each expression is linear in the length of the line.
_OWN = tuple(
    (rule, what, grade, re.compile(rf"(?<![A-Za-z0-9])(?:{expression})"))
    for rule, what, grade, expression in (
        ("stripe", "a live Stripe key", Grade.PROVEN, r"[rs]k_live_[0-9A-Za-z]{16,}+"),
        ("stripe-test", "a Stripe test key", Grade.TEST, r"[rs]k_test_[0-9A-Za-z]{16,}+"),
        ("github", "a GitHub token", Grade.PROVEN, r"gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{22,}+"),
        ("anthropic", "an Anthropic key", Grade.PROVEN, r"sk-ant-[\w-]{20,}+"),
        (
            "openai",
            "an OpenAI key",
            Grade.PROVEN,
            r"sk-(?:proj|svcacct|admin|None|or-v1)-[\w-]{20,}+|sk-[A-Za-z0-9]{48}(?!\w)",
        ),
        ("google", "a Google key", Grade.PROVEN, r"AIza[\w-]{35}(?!\w)|GOCSPX-[\w-]{28}(?!\w)|ya29\.[\w-]{20,}+"),
        ("slack", "a Slack token", Grade.PROVEN, r"xox[abeoprs]-[\w-]{10,}+|xapp-\d-[\w-]{10,}+"),
        ("huggingface", "a Hugging Face token", Grade.PROVEN, r"hf_[A-Za-z0-9]{34,}+"),
        ("npm", "an npm token", Grade.PROVEN, r"npm_[A-Za-z0-9]{36}(?!\w)"),
        ("digitalocean", "a DigitalOcean token", Grade.PROVEN, r"do[opr]_v1_[0-9a-f]{64}(?!\w)"),
        ("shopify", "a Shopify token", Grade.PROVEN, r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}(?!\w)"),
        ("databricks", "a Databricks token", Grade.PROVEN, r"dapi[0-9a-f]{32}(?!\w)"),
        ("age", "an age key", Grade.PROVEN, r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
        ("aws", "an AWS access key", Grade.PROVEN, r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"),
        ("jwt", "a signed JSON web token", Grade.PROVEN, r"eyJ[\w-]{8,}+\.eyJ[\w-]{4,}+\.[\w-]{16,}+"),
        ("jwt", "a JSON web token", Grade.WEAK, r"eyJ[\w-]{8,}+\.eyJ[\w-]{4,}+\.?(?![\w-])"),
    )
)
_PLUGINS = {
    "artifactory": ("artifactory", "Artifactory credentials", Grade.WEAK),
    "aws": ("aws", "an AWS secret key", Grade.PROVEN),
    "azure_storage_key": ("azure", "an Azure storage key", Grade.PROVEN),
    "cloudant": ("cloudant", "Cloudant credentials", Grade.PROVEN),
    "discord": ("discord", "a Discord bot token", Grade.PROVEN),
    "gitlab_token": ("gitlab", "a GitLab token", Grade.PROVEN),
    "ibm_cloud_iam": ("ibm", "an IBM Cloud key", Grade.PROVEN),
    "ibm_cos_hmac": ("ibm", "an IBM storage key", Grade.PROVEN),
    "mailchimp": ("mailchimp", "a Mailchimp key", Grade.PROVEN),
    "pypi_token": ("pypi", "a PyPI token", Grade.PROVEN),
    "sendgrid": ("sendgrid", "a SendGrid key", Grade.PROVEN),
    "slack": ("slack", "a Slack token or webhook", Grade.PROVEN),
    "softlayer": ("softlayer", "a SoftLayer key", Grade.PROVEN),
    "square_oauth": ("square", "a Square secret", Grade.PROVEN),
    "stripe": ("stripe", "a live Stripe key", Grade.PROVEN),
    "telegram_token": ("telegram", "a Telegram bot token", Grade.PROVEN),
    "twilio": ("twilio", "a Twilio key", Grade.WEAK),
}
"""The plugins of detect-secrets that are used. The others are known better here and in `private_keys`; some take time
in the square of a line's length."""
_LOOSE = frozenset({"artifactory", "ibm", "softlayer", "twilio"})
"""Formats that identifiers have as well."""
_LONG = re.compile(r"[A-Za-z0-9+/_=-]{16}")
"""What every format has; most lines have none."""
_WINDOW, _OVERLAP = 2_000, 400
_REST_OF_TOKEN = re.compile(r"[A-Za-z0-9_-]*+")
_END_OF_VALUE = re.compile(r"[\s\"'`,;<>)]")


@cache
def _plugged() -> tuple[tuple[str, str, Grade, re.Pattern[str]], ...]:
    """The expressions of detect-secrets; none where it is not installed."""
    found: list[tuple[str, str, Grade, re.Pattern[str]]] = []
    for module, (rule, what, grade) in _PLUGINS.items():
        try:
            plugin = import_module(f"detect_secrets.plugins.{module}")
        except ImportError:
            return ()
        for each in vars(plugin).values():
            if isinstance(each, type) and each.__module__ == plugin.__name__ and hasattr(each, "denylist"):
                found += [(rule, what, grade, expression) for expression in each.denylist]
    return tuple(found)


def has_plugins() -> bool:
    """Whether detect-secrets is installed."""
    return bool(_plugged())


def formats_in(line: str) -> Iterator[Hit]:
    """Yield the secrets whose format tells what they are."""
    if _LONG.search(line):
        yield from _formatted(line)
    if "://" in line:
        yield from _in_addresses(line)


def _formatted(line: str) -> Iterator[Hit]:
    for rule, what, grade, expression in _OWN:
        for match in expression.finditer(line):
            if not is_blank(match[0]):
                yield Hit(match[0], rule, grade, what)
    for start in range(0, max(1, len(line) - _OVERLAP), _WINDOW - _OVERLAP):
        window = line[start : start + _WINDOW]
        for rule, what, grade, expression in _plugged():
            for match in expression.finditer(window):
                value = _plugged_value(match, line, start)
                if value and not is_blank(value) and (rule not in _LOOSE or is_strong(value)):
                    yield Hit(value, rule, grade, what)


def _plugged_value(match: re.Match[str], line: str, offset: int) -> str:
    """Return the whole token: some expressions stop within it, and what they leave would not be masked."""
    group = max(range(match.re.groups + 1), key=lambda index: (index > 0 and len(match[index] or "") >= 16, -index))
    start, end = match.start(group) + offset, match.end(group) + offset
    while start < end and not line[start].isalnum():
        start += 1
    if start and line[start - 1].isalnum() and line[start].isalnum():
        return ""  # within a longer run of letters, such as an encoded picture
    rest = _REST_OF_TOKEN.match(line, end)
    return _END_OF_VALUE.split(line[start : rest.end() if rest else end], maxsplit=1)[0]


_ADDRESS = re.compile(r"://([^\s:/?#\[\]@\"'`]{0,100}+):([^\s:/?#\[\]@\"'`]{3,200}+)@([\w.-]{1,200}+)")
_OWN_MACHINE = re.compile(
    r"^(?:localhost|127\.|0\.0\.0\.0|[\w-]+$|(?:.*\.)?example\.(?:com|org|net)$|.*\.(?:test|local)$)"
)


def _in_addresses(line: str) -> Iterator[Hit]:
    for match in _ADDRESS.finditer(line):
        user, password, host = match.groups()
        if is_sample_password(user, password):
            continue
        grade = Grade.WEAK if _OWN_MACHINE.match(host) else Grade.PROVEN
        yield Hit(password, "basic-auth", grade, "a password in an address")


# Values that are named as secrets

_KEYWORD = re.compile(
    r"(?P<pass>passw(?:or)?d|passphrase|(?<![a-z])pwd|contrase[nñ]a)|(?:api|access|auth|account|service|client|private|priv"
    r"|encryption|signing|secret|master|db|database)[_-]?key|secret|token|credential|bearer|authorization",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"(?P<suffix>[\w-]{0,40})[\"'`\])]{0,3}\s{0,8}"
    r"(?P<sign>:\s{0,4}[A-Za-z_][\w\[\], .|?]{0,40}?\s{0,4}=(?!=)|:=|=>|={1,3}|!==?|:|,|\()\s{0,8}"
    r"(?:[bBfFrRuU@]{0,2}(?P<quote>[\"'`])(?:Bearer |token |(?P<basic>Basic ))?(?P<quoted>[^\"'`\n]{4,300})(?P=quote)?"
    r"|(?:Bearer |(?P<basic_plain>Basic ))?(?P<plain>[^\s\"'`,;#<>()\[\]{}]{6,300}))"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HEADER = re.compile(r"\b(?P<scheme>(?i:Bearer|Basic))\s{1,4}(?P<value>[A-Za-z0-9._~+/=-]{8,300})")
_NOT_THE_VALUE = re.compile(
    r"(?:^|[_-])(?:name|field|label|env|var|path|file|dir|url|uri|id|ids|type|header|prefix|suffix|length|len|size|expir\w*|ttl|count"
    r"|limit|error|message|msg|help|hint|placeholder|policy|scope|regex|pattern|format|version|title|text|hash\w*|digest"
    r"|checksum|ref|arn|selector|input|form|page|required|invalid|reset|mismatch|rule|class|kind|status)$",
    re.IGNORECASE,
)
_CONFIGURATION = (
    ".env",
    ".ini",
    ".cfg",
    ".conf",
    ".cnf",
    ".properties",
    ".toml",
    ".yaml",
    ".yml",
    ".sh",
    ".tfvars",
    ".netrc",
    ".npmrc",
)


def named_in(line: str, path: str) -> Iterator[Hit]:
    """Yield values that are assigned to what is named a secret: proven where they look drawn, weak otherwise."""
    name = path.lower().rpartition("/")[2]
    loose = name.endswith(_CONFIGURATION) or name.startswith((".env", "dockerfile", ".netrc", ".npmrc", ".pypirc"))
    for keyword in _KEYWORD.finditer(line):
        match = _ASSIGNED.match(line, keyword.end())
        if not match or match["basic"] or match["basic_plain"]:
            continue
        value = match["quoted"] or (match["plain"] if loose else None)
        if value is None or " " in value or "\t" in value or is_blank(value) or is_written(value):
            continue
        if _NOT_THE_VALUE.search(_CAMEL.sub("_", match["suffix"])) or keyword[0].casefold() == value.casefold():
            continue
        what = f"a value named {keyword[0].lower()}"
        if is_strong(value):
            yield Hit(value, "keyword", Grade.PROVEN, what)
        elif match["sign"] not in (",", "(") and match["suffix"] != "s" and _is_guess(value, keyword["pass"]):
            yield Hit(value, "keyword", Grade.WEAK, what)
    yield from _in_headers(line)


def _in_headers(line: str) -> Iterator[Hit]:
    """Yield the values of authorization headers. One of `Basic` is no proof: what it decodes to decides (R14)."""
    for match in _HEADER.finditer(line):
        value = match["value"]
        drawn = is_strong(value) and not is_blank(value)
        if match["scheme"].lower() == "bearer":
            if drawn and len(value) >= 16:
                yield Hit(value, "authorization", Grade.PROVEN, "the value of an authorization header")
        elif (login := login_in(value)) is None:
            if drawn:
                yield Hit(value, "authorization", Grade.WEAK, "the value of a Basic header")
        elif not is_sample_password(*login):
            yield Hit(value, "authorization", Grade.WEAK, "a password in a Basic header")


def _is_guess(value: str, password: str | None) -> bool:
    """A word is a password where it is called one; a key or a token has at least a digit among its letters."""
    if len(value) < 6 or not value.isascii() or not any(char.isalnum() for char in value):
        return False
    return password is not None or (any(char.isdigit() for char in value) and any(char.isalpha() for char in value))


# Values that nothing names

_QUOTED = re.compile(r"([\"'`])([A-Za-z0-9+/_=.~-]{24,200})\1")
_PLAIN = re.compile(r"^\s*(?:export\s+|-\s+)?[\w.-]{1,80}\s*[=:]\s*([A-Za-z0-9+/_=.~-]{24,200})\s*$")
_OF_NO_SECRET = re.compile(
    r"sha\d|md5|integrity|checksum|digest|hash|fingerprint|data:|base64,|nonce|commit|revision|etag|public|pubkey|ssh-",
    re.IGNORECASE,
)
_LOCKS = re.compile(
    r"(?:^|/)(?:[\w.-]*\.lock|[\w.-]*-lock\.\w+|go\.sum|npm-shrinkwrap\.json|[\w.-]*\.(?:svg|ipynb|map))$"
)


def drawn_in(line: str, path: str) -> Iterator[Hit]:
    """Yield values that must have been drawn, though nothing says what for."""
    values = [match[2] for match in _QUOTED.finditer(line)] + _PLAIN.findall(line)
    if not values or _OF_NO_SECRET.search(line) or _LOCKS.search(path):
        return
    for value in values:
        if not is_blank(value) and not is_written(value) and is_drawn(value):
            yield Hit(value, "entropy", Grade.WEAK, "a value that looks drawn")


_MOST_COMPARED = 200
"""Secrets of one line that are compared with each other."""


def hits_in(line: str, path: str) -> tuple[Hit, ...]:
    """Return the secrets in a line, the surest reading of each; one within another is part of it."""
    hits = [*formats_in(line), *named_in(line, path), *drawn_in(line, path)]
    if not hits or len(hits) > _MOST_COMPARED:
        return tuple({hit.value: hit for hit in reversed(hits)}.values())
    order = {grade: rank for rank, grade in enumerate((Grade.TEST, Grade.PROVEN, Grade.WEAK))}
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda hit: (-len(hit.value), order[hit.grade], hit.rule == "keyword")):
        at = next((index for index, other in enumerate(kept) if hit.value in other.value), None)
        if at is None:
            kept.append(hit)
        elif hit.grade is Grade.PROVEN and kept[at].grade is Grade.WEAK:
            kept[at] = replace(hit, value=kept[at].value)
    return tuple(sorted(kept, key=lambda hit: line.find(hit.value)))
