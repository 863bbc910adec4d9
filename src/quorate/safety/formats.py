"""Formats of secrets: what providers' keys and tokens look like, and passwords in URLs.

The table stands alone: keys without a distinctive format (AWS, IBM Cloud, SoftLayer, Cloudant) are recognised by the
name of their provider before them. If installed, `detect-secrets` is a second opinion, which knows more ways to write
them and follows the providers with its releases. Its expressions are applied directly: its inline pragmas (`allowlist
secret`) are ignored, since a change could bring its own, and its verification never runs. Its keyword rule is not used:
it takes cubic time in a line's length, and it does not know tokens.
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module

from quorate.safety.randomness import is_blank, is_sample_password, is_strong


class Grade(Enum):
    """Confidence that a value is a secret, the highest first."""

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


_NAMED = (
    r"[\w .-]{0,20}(?i:key|pwd|pw|password|pass|token|secret)\\{0,3}[\"'\]]{0,2}\s{0,4}"
    r"(?::=|=>|[=:])\s{0,4}\\{0,3}[\"'`]?"
)
"""What stands between the name of a provider and a value."""
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
        ("private-key", "a private key in base64", Grade.PROVEN, r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,}+={0,2}"),
        ("age", "an age key", Grade.PROVEN, r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
        ("aws", "an AWS access key", Grade.PROVEN, r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"),
        ("gitlab", "a GitLab token", Grade.PROVEN, r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[\w-]{20,}+"),
        ("gitlab", "a GitLab token", Grade.PROVEN, r"GR1348941[\w-]{20,}+"),
        ("sendgrid", "a SendGrid key", Grade.PROVEN, r"SG\.[\w-]{22}\.[\w-]{43}"),
        ("pypi", "a PyPI token", Grade.PROVEN, r"pypi-(?:AgEIcHlwaS5vcmc|AgENdGVzdC5weXBpLm9yZw)[\w-]{70,}+"),
        ("telegram", "a Telegram bot token", Grade.PROVEN, r"\d{8,10}:[\w-]{35}(?![\w-])"),
        ("mailchimp", "a Mailchimp key", Grade.PROVEN, r"[0-9a-z]{32}-us\d{1,2}(?!\w)"),
        ("discord", "a Discord bot token", Grade.PROVEN, r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])"),
        ("square", "a Square secret", Grade.PROVEN, r"sq0csp-[\w-]{43}"),
        ("slack", "a Slack webhook", Grade.PROVEN, r"https://hooks\.slack\.com/services/T\w+/B\w+/\w+"),
        ("azure", "an Azure storage key", Grade.PROVEN, r"(?<=AccountKey=)[A-Za-z0-9+/]{86}=="),
        ("artifactory", "Artifactory credentials", Grade.WEAK, r"(?:AKCp|cmVmdGtu)[A-Za-z0-9]{50,}+"),
        (
            "aws",
            "an AWS secret key",
            Grade.PROVEN,
            rf"(?i:aws){_NAMED}(?P<value>[A-Za-z0-9/+]{{40}})(?![A-Za-z0-9/+=])",
        ),
        (
            "cloudant",
            "a Cloudant key",
            Grade.PROVEN,
            rf"(?i:cloudant){_NAMED}(?P<value>[0-9a-f]{{64}}|[a-z]{{24}})(?!\w)",
        ),
        ("ibm", "an IBM Cloud key", Grade.PROVEN, rf"(?i:ibm|bluemix){_NAMED}(?P<value>[\w-]{{44}})(?![\w-])"),
        ("ibm", "an IBM storage key", Grade.PROVEN, rf"(?i:ibm|cos|hmac){_NAMED}(?P<value>[0-9a-f]{{48}})(?!\w)"),
        ("softlayer", "a SoftLayer key", Grade.PROVEN, rf"(?i:softlayer){_NAMED}(?P<value>[0-9a-z]{{64}})(?!\w)"),
        ("twilio", "a Twilio key", Grade.WEAK, r"(?:AC|SK)[a-z0-9]{32}(?!\w)"),
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
_IBM = re.compile(r"ibm|iam|bluemix|(?<![a-z])cos(?![a-z])|cloud", re.IGNORECASE)
"""Any key is one of IBM's for detect-secrets, which makes its name optional."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
_LONG = re.compile(r"[A-Za-z0-9+/_=-]{16}")
"""What every format has; most lines have none."""
_WINDOW, _OVERLAP = 2_000, 400
_REST_OF_TOKEN = re.compile(r"[A-Za-z0-9_-]*+")
_END_OF_VALUE = re.compile(r"[\s\"'`,;<>)]")


@cache
def plugged() -> tuple[tuple[str, str, Grade, re.Pattern[str]], ...]:
    """Return the expressions of detect-secrets; none if it is not installed."""
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
    return bool(plugged())


def what_is_missing() -> str:
    """Return a note that fewer formats are known without detect-secrets; empty if it is installed."""
    if has_plugins():
        return ""
    return (
        "secrets are found by Quorate's own formats alone; for those of detect-secrets: pip install 'quorate[review]'"
    )


def formats_in(line: str) -> Iterator[Hit]:
    """Yield the secrets that are recognised by their format."""
    if _LONG.search(line):
        yield from _formatted(line)
    if "://" in line:
        yield from _in_addresses(line)


def _formatted(line: str) -> Iterator[Hit]:
    for rule, what, grade, expression in _OWN:
        for match in expression.finditer(line):
            value = match["value"] if expression.groups else match[0]
            if _is_one(rule, value):
                yield Hit(value, rule, grade, what)
    for start in range(0, max(1, len(line) - _OVERLAP), _WINDOW - _OVERLAP):
        window = line[start : start + _WINDOW]
        for rule, what, grade, expression in plugged():
            for match in expression.finditer(window):
                value = _plugged_value(match, line, start) if rule != "ibm" or _IBM.search(window) else ""
                if value and _is_one(rule, value):
                    yield Hit(value, rule, grade, what)


def _is_one(rule: str, value: str) -> bool:
    """Whether a value in the format of a secret is one, not a placeholder, an identifier or a commit."""
    if is_blank(value) or (rule == "aws" and _COMMIT.fullmatch(value)):
        return False
    if rule == "private-key":  # certificates and public keys begin as it does
        return b"PRIVATE KEY" in b64decode(value[:64])
    return rule not in _LOOSE or is_strong(value)


def _plugged_value(match: re.Match[str], line: str, offset: int) -> str:
    """Return the whole token: some expressions match a part only, and the rest would not be masked."""
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
