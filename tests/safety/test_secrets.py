"""Secrets: providers' formats and named values are found, placeholders and hashes are not, and no pragma helps."""

from __future__ import annotations

import string
from base64 import b64encode

import pytest

from quorate.kit.check_result import CheckStatus
from quorate.kit.findings import Severity
from quorate.safety.secrets import check_secrets, secrets_in, without_secrets
from tests.support.changes import change_of
from tests.support.drawn_secrets import BASE64, drawn, pem

HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
JWT = f"eyJ{drawn(20)}.eyJ{drawn(40)}.{drawn(43)}"
PROVEN = {
    "an AWS key id": ("aws", "AKIA" + drawn(16, UPPER)),
    "a GitHub token": ("github", "ghp_" + drawn(36)),
    "a fine-grained GitHub token": ("github", "github_pat_" + drawn(22) + "_" + drawn(59)),
    "a GitLab token": ("gitlab", "glpat-" + drawn(20)),
    "a Slack token": ("slack", "xoxb-" + drawn(12, string.digits) + "-" + drawn(24)),
    "a Stripe key": ("stripe", "sk_live_" + drawn(24)),
    "a long Stripe key": ("stripe", "rk_live_" + drawn(99)),
    "a SendGrid key": ("sendgrid", "SG." + drawn(22) + "." + drawn(43)),
    "a PyPI token": ("pypi", "pypi-AgEIcHlwaS5vcmc" + drawn(80)),
    "an npm token": ("npm", "npm_" + drawn(36)),
    "an Anthropic key": ("anthropic", "sk-ant-api03-" + drawn(90)),
    "an OpenAI key": ("openai", "sk-proj-" + drawn(60)),
    "a Google key": ("google", "AIza" + drawn(35)),
    "a Hugging Face token": ("huggingface", "hf_" + drawn(34)),
    "a signed web token": ("jwt", JWT),
    "a Telegram token": ("telegram", drawn(9, string.digits) + ":" + drawn(35)),
    "a Mailchimp key": ("mailchimp", drawn(32, HEX) + "-us12"),
    "a Discord token": ("discord", "M" + drawn(23) + "." + drawn(6) + "." + drawn(27)),
    "a Square secret": ("square", "sq0csp-" + drawn(43)),
}


def found_in(path: str, *lines: str, before: str | None = None) -> list[tuple[str, Severity, str]]:
    old = {} if before is None else {path: before}
    result = check_secrets(change_of(old, {path: "\n".join(lines) + "\n"}))
    return [(finding.rule, finding.severity, finding.veto) for finding in result.findings]


@pytest.mark.parametrize("name", PROVEN)
def test_a_format_of_a_provider_is_a_proven_secret_wherever_it_stands(name: str) -> None:
    rule, value = PROVEN[name]
    for path, line in (("src/app.py", f'client = connect("{value}")'), ("tests/a.txt", f"see {value}, please")):
        assert found_in(path, line) == [(f"secrets/{rule}", Severity.CRITICAL, "hard-coded secret")], (path, name)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'PASSWORD = "{}"'),
        ("a.py", "db_password: str = '{}'"),
        ("a.ts", 'const apiKey = "{}";'),
        ("a.js", 'headers: {{ "x-api-key": "{}" }}'),
        ("a.py", 'requests.get(url, headers={{"Authorization": "Bearer {}"}})'),
        ("conf/app.yaml", "client_secret: {}"),
        (".env", "DB_PASSWORD={}"),
        ("a.go", 'secretKey := "{}"'),
        ("a.rb", 'secret => "{}"'),
        ("Dockerfile", "ENV API_TOKEN={}"),
    ],
)
def test_a_drawn_value_that_is_named_a_secret_is_proven(path: str, line: str) -> None:
    for value in (drawn(28), drawn(20, BASE64 + "!?%*"), drawn(32, HEX)):
        rules = [(severity, veto) for _, severity, veto in found_in(path, line.format(value))]
        assert rules == [(Severity.CRITICAL, "hard-coded secret")], (path, len(value))


def test_a_password_in_an_address_is_proven_unless_it_leads_to_ones_own_machine() -> None:
    word = "br1ght-" + "r4ven"
    assert found_in("a.py", f'URL = "postgres://app:{word}@db.acme.io/x"') == [
        ("secrets/basic-auth", Severity.CRITICAL, "hard-coded secret")
    ]
    assert found_in("a.py", f'URL = "postgres://app:{word}@localhost/x"') == [("secrets/basic-auth", Severity.HIGH, "")]
    assert found_in("a.py", 'URL = "postgres://app:password@db.acme.io/x"', 'U = "https://u:${PASS}@acme.io"') == []


def basic(login: str) -> str:
    return b64encode(login.encode()).decode()


@pytest.mark.parametrize(
    "line",
    ['headers = {{"Authorization": "Basic {}"}}', 'assert auth == "Basic {}"', "curl -H 'authorization: basic {}'"],
)
def test_a_basic_header_is_never_proof_and_a_note_in_tests_and_documents(line: str) -> None:
    """Rule R14: what it decodes to decides."""
    real = line.format(basic("deploy:" + "Vw7-kq2.pLz"))
    (rule,) = {rule for rule, *_ in found_in("src/app.py", real)}
    assert rule in ("secrets/authorization", "secrets/keyword")
    for path, severity in (
        ("src/app.py", Severity.HIGH),
        ("tests/test_auth.py", Severity.LOW),
        ("docs/quickstart.md", Severity.LOW),
        ("README.md", Severity.LOW),
    ):
        assert [(found, veto) for _, found, veto in found_in(path, real)] == [(severity, "")], path


@pytest.mark.parametrize(
    "login",
    [
        "user:password123",
        "username:password",
        "test-user:test-pass",
        "Aladdin:open sesame",
        "example-username:example-password",
        "your-user:your-password",
        "rosebud42:rosebud42",
        "longusername1234:",
    ],
)
def test_sample_words_in_a_basic_header_are_nothing(login: str) -> None:
    for path in ("src/app.py", "tests/test_auth.py"):
        assert found_in(path, f'assert headers == {{"Authorization": "Basic {basic(login)}"}}') == []
        assert found_in(path, f'    "Basic {basic(login)}",') == []


def test_what_is_no_login_behind_basic_may_be_a_secret_and_bearer_tokens_are_proven() -> None:
    assert found_in("src/app.py", f'auth = "Basic {drawn(30)}"') == [("secrets/authorization", Severity.HIGH, "")]
    assert [veto for *_, veto in found_in("src/app.py", f'auth = "Bearer {drawn(30)}"')] == ["hard-coded secret"]


def test_weak_hits_are_high_without_a_veto_and_low_in_tests() -> None:
    word = "rosebud" + "42"
    assert found_in("src/a.py", f'password = "{word}"') == [("secrets/keyword", Severity.HIGH, "")]
    assert found_in("tests/test_a.py", f'password = "{word}"') == [("secrets/keyword", Severity.LOW, "")]
    assert found_in("src/a.py", f'MAGIC = "{drawn(32)}"') == [("secrets/entropy", Severity.HIGH, "")]
    assert found_in("src/a.py", f'T = "eyJ{drawn(20)}.eyJ{drawn(30)}"') == [("secrets/jwt", Severity.HIGH, "")]


@pytest.mark.parametrize("line", ['STRIPE_KEY = "{}"', 'config["hmac_key"] = "{}"'])
def test_a_name_that_ends_in_key_makes_a_drawn_value_suspected_and_proves_nothing(line: str) -> None:
    """Rule R14: some keys are secrets, and a name alone does not tell which."""
    for value in (drawn(28), drawn(18), drawn(32, HEX)):
        (found,) = found_in("src/a.py", line.format(value))
        assert found[1:] == (Severity.HIGH, ""), found
        assert without_secrets(line.format(value)) == line.format("[masked secret]")
    assert found_in("src/a.py", 'STRIPE_KEY = "plan-2024"') == []


@pytest.mark.parametrize("name", ["CACHE_KEY", "PUBLIC_KEY", "sort_key", "primary_key", "foreign_key", "partition_key"])
def test_keys_that_are_no_secrets_are_not_suspected_for_their_name(name: str) -> None:
    for path, line in (("src/a.py", f'{name} = "{drawn(18)}"'), (".env", f"{name}={drawn(32, HEX)}")):
        assert found_in(path, line) == []
        assert without_secrets(line) == line


def test_a_test_key_is_medium() -> None:
    assert found_in("src/a.py", f'api_key = "sk_test_{drawn(24)}"') == [("secrets/stripe-test", Severity.MEDIUM, "")]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'api_key = "xxxxxxxxxxxxxxxxxxxxxxxx"'),
        ("a.py", 'password = "changeme"'),
        ("a.py", 'token = "<your token here>"'),
        ("a.py", 'secret = "${SECRET_FROM_ENV}"'),
        ("a.py", 'password = os.environ["DB_PASSWORD"]'),
        ("a.py", 'password = getenv("DB_PASSWORD")'),
        ("a.py", 'aws_key = "AKIA' + 'IOSFODNN7EXAMPLE"'),
        ("a.py", 'token = "ghp_' + "a" * 36 + '"'),
        ("a.py", 'token = "ghp_' + "x1" * 18 + '"'),
        ("a.py", 'key = "0123456789abcdef0123456789abcdef"'),
        ("a.py", 'password = "Enter your password"'),
        ("a.py", 'password_field = "user_password_1"'),
        ("a.py", 'secret_name = "prod/db/credentials-2"'),
        ("a.py", 'HARD_CODED_SECRET = "hard-coded secret"'),
        ("a.py", f'COMMIT = "{drawn(40, HEX)}"'),
        (
            "a.py",
            f'KEY = "{drawn(8, HEX)}-{drawn(4, HEX)}-4{drawn(3, "abc123")}-a{drawn(3, "abc123")}-{drawn(12, HEX)}"',
        ),
        ("a.py", f'SHA256 = "{drawn(44, BASE64)}"'),
        ("a.html", f'<script integrity="sha384-{drawn(64, BASE64)}"></script>'),
        ("a.css", f'url("data:image/png;base64,iVBOR{drawn(90, BASE64)}")'),
        ("package-lock.json", f'"integrity": "sha512-{drawn(86, BASE64)}=="'),
        ("go.sum", f"example.org/x v1.0.0 h1:{drawn(43, BASE64)}="),
        ("poetry.lock", f'token = ["{drawn(40)}"]'),
        ("a.py", "max_tokens = 4096"),
        ("a.yaml", "passwordSecretRef: app-db-secret-v2"),
        ("a.java", 'String name = "getUserAccountByIdentifierAndTenantV2";'),
        ("a.py", '__all__ = ["BetaToolComputerUse20251124"]'),
        ("a.py", 'ALPHABET = "' + string.ascii_letters + string.digits + '"'),
        ("a.py", 'PATH = "projects/801452371447/locations/us-central1/Jobs/2470"'),
    ],
)
def test_what_is_no_secret_is_not_reported(path: str, line: str) -> None:
    assert found_in(path, line) == []


@pytest.mark.parametrize(
    "pragma",
    ["# pragma: allowlist secret", "// pragma: allowlist secret", "# noqa: S105", "# nosec", "# gitleaks:allow"],
)
def test_a_pragma_of_the_change_silences_nothing(pragma: str) -> None:
    assert found_in("a.py", f'KEY = "AKIA{drawn(16, UPPER)}"  {pragma}') != []
    line = f'KEY = "ghp_{drawn(36)}"'
    assert found_in("a.py", "# pragma: allowlist nextline secret", line) != []


def test_only_what_the_change_brings_is_a_finding_and_all_it_shows_is_known() -> None:
    old, near, new = (f"ghp_{drawn(36, seed=seed)}" for seed in (1, 2, 3))
    change = change_of({"a.py": f'A = "{old}"\nB = "{near}"\n'}, {"a.py": f'A = "{new}"\nB = "{near}"\n'})
    result = check_secrets(change)
    assert [finding.line for finding in result.findings] == [1]
    assert [secret.value for secret in secrets_in(change)] == [old, new, near]
    assert not any(value in repr((result, secrets_in(change))) for value in (old, near, new))
    assert result.findings[0].evidence == 'A = "[masked secret 2]"'


def test_a_secret_that_is_taken_out_is_no_finding() -> None:
    change = change_of({"a.py": f'A = "ghp_{drawn(36)}"\n'}, {"a.py": "A = None\n"})
    assert check_secrets(change).status is CheckStatus.PASS
    assert len(secrets_in(change)) == 1


def test_a_private_key_is_one_finding_wherever_its_lines_are() -> None:
    key = pem()
    assert found_in("id_rsa", key) == [("secrets/private-key", Severity.CRITICAL, "hard-coded secret")]
    indented = "\n".join(f"    {line}" for line in key.split("\n"))
    assert [rule for rule, *_ in found_in("a.yaml", "key: |", indented)] == ["secrets/private-key"]
    escaped = key.replace("\n", "\\n")
    assert [rule for rule, *_ in found_in("a.json", f'{{"key": "{escaped}"}}')] == ["secrets/private-key"]
    quoted = "\n".join(f'    "{line}\\n"' for line in key.split("\n"))
    assert [rule for rule, *_ in found_in("a.py", "KEY = (", quoted, ")")] == ["secrets/private-key"]


def test_one_line_of_a_private_key_that_is_changed_is_a_finding_and_the_rest_is_known() -> None:
    key = pem(lines=20).split("\n")
    new = [*key]
    new[10] = drawn(64, BASE64, 99)
    change = change_of({"k.pem": "\n".join(key)}, {"k.pem": "\n".join(new)})
    assert [(finding.rule, finding.line) for finding in check_secrets(change).findings] == [("secrets/private-key", 11)]
    known = "\n".join(secret.value for secret in secrets_in(change))
    assert all(line in known for line in (*key[1:-1], new[10]))


def test_headers_and_shortened_examples_of_keys_are_no_keys() -> None:
    header = "-----BEGIN RSA PRIVATE KEY-----"
    assert found_in("a.py", f'if "{header}" in text:', "    refuse()") == []
    assert found_in("a.md", header, "MIIEpAIBAAKCAQEA...", "-----END RSA PRIVATE KEY-----") == []


def test_a_hostile_line_is_searched_to_its_end() -> None:
    value = "ghp_" + drawn(36)
    for filler in (
        "password = " * 900,
        "a" * 9_000 + " ",
        "sk-" * 3_000 + " ",
        "token: " * 1_200,
        "://u:" * 2_000 + " ",
    ):
        assert ("secrets/github", Severity.CRITICAL, "hard-coded secret") in found_in("a.py", f"{filler}'{value}'")
