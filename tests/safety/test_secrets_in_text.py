"""Secrets in text that is no diff: problems, documents, data, replies. What is named is masked, prose is not."""

from __future__ import annotations

import pytest

from quorate.core.errors import InputError
from quorate.kit.findings import Severity
from quorate.safety.masks import Masks
from quorate.safety.secrets import check_secrets, secrets_in_text, without_secrets, without_secrets_in
from tests.support.changes import change_of
from tests.support.drawn_secrets import drawn

MASK = "[masked secret]"
WORD = "rosebud" + "42"


@pytest.mark.parametrize(
    "line",
    ["DB_PASSWORD={}", "Set STRIPE_KEY={} first.", "ENCRYPTION_KEY: {}", '"db_password": "{}"', "client_secret: {}"],
)
def test_assignments_are_masked_in_text_that_is_no_file(line: str) -> None:
    value = drawn(24)
    assert without_secrets(line.format(value)) == line.format("[masked secret]")


@pytest.mark.parametrize(
    "line", ["db_password={}", "Run mysql -u root --password={} shop", "DB_PASS={}", "api_token={}", "db.password={}"]
)
def test_assignments_as_shells_and_files_of_settings_write_them_are_masked(line: str) -> None:
    assert without_secrets(line.format(WORD)) == line.format(MASK)
    change = change_of({}, {"deploy.sh": line.format(WORD) + "\n"})
    assert [each.evidence for each in check_secrets(change).findings] == [line.format("[masked secret 1]")]


@pytest.mark.parametrize(
    "line",
    [
        "password: the user's secret word",
        "password: something",
        "DB_PASSWORD=$DB_PASSWORD",
        "PASSWORD=changeme",
        "API_KEY=<your key>",
        "token = make_token2(user)",
        "tokenizer=gpt2large",
        "password=user.pass1",
        "BYPASS=always2",
        "FIRST_PASS=linear",
        "max_tokens = 4096",
        "PRIMARY_KEY: customer_id",
    ],
)
def test_prose_placeholders_and_code_are_left_alone(line: str) -> None:
    assert without_secrets(line) == line


@pytest.mark.parametrize("line", ["DB_PASSWORD={}", "export DB_PASSWORD={}", "DB_PASSWORD: {}", "password = '{}'"])
def test_a_value_that_is_masked_in_one_line_is_masked_in_all(line: str) -> None:
    text = f"Say {WORD}, then\n{line.format(WORD)}\nand ({WORD}) again, but not {WORD}s."
    assert without_secrets(text) == f"Say {MASK}, then\n{line.format(MASK)}\nand ({MASK}) again, but not {WORD}s."


def test_a_word_that_is_named_a_password_is_masked_where_it_stands_as_one() -> None:
    text = "DB_PASSWORD=postgres\nThe database is postgres."
    assert without_secrets(text) == f"DB_PASSWORD={MASK}\nThe database is postgres."


def test_a_value_that_looks_drawn_is_masked_in_text_as_in_a_diff() -> None:
    value = drawn(32)
    assert without_secrets(f'MAGIC = "{value}"') == f'MAGIC = "{MASK}"'
    assert [secret.value for secret in secrets_in_text(f"magic: {value}")] == [value]


def test_a_file_of_settings_is_read_as_one() -> None:
    text = f"password: {WORD}"
    assert without_secrets(text, path="conf/app.yaml") == f"password: {MASK}"
    assert without_secrets(text) == text


def test_a_key_of_data_names_its_value_and_the_value_is_masked_everywhere() -> None:
    data = {"db": {"db_password": WORD, "user": "shop"}, "notes": [f"It opens with {WORD}.", 7, None]}
    told = {"db": {"db_password": MASK, "user": "shop"}, "notes": [f"It opens with {MASK}.", 7, None]}
    assert without_secrets_in(data) == told
    left = {"password": "changeme", "token": "$TOKEN", "max_tokens": "4096", "password_hint": "a word of your own"}
    assert without_secrets_in(left) == left


@pytest.mark.parametrize("path", ["README.md", "docs/setup.rst", "notes.txt", "data/sample.json"])
def test_an_assignment_without_quotes_is_suspected_in_documents_and_proves_nothing(path: str) -> None:
    for value in (WORD, drawn(24)):
        change = change_of({}, {path: f"Run it with DB_PASSWORD={value} first.\n"})
        found = [(each.severity, each.veto, each.evidence) for each in check_secrets(change).findings]
        assert found == [(Severity.HIGH, "", "Run it with DB_PASSWORD=[masked secret 1] first.")]
    assert check_secrets(change_of({}, {"a.py": f"DB_PASSWORD={WORD}\n"})).findings == (), "a variable of code"


def test_a_secret_that_was_not_kept_cannot_be_put_back() -> None:
    """A patch that had one of its own would else be applied with the words of the mask."""
    masks = Masks([WORD])
    with pytest.raises(InputError, match="not kept"):
        masks.unmask(f"+password = '{MASK}'")
    shown = masks.mask(f"'{WORD}' and {MASK}")
    assert shown == "'[masked secret 1]' and [masked text] secret]"
    assert masks.unmask(shown) == f"'{WORD}' and {MASK}"


@pytest.mark.parametrize(
    "text", ['{{"db_password":\n  "{}"}}', 'x: "{{\\"db_password\\": \\"{}\\"}}"', "PASSWORD =\n  '{}'"]
)
def test_json_that_is_folded_or_quoted_names_its_values_as_well(text: str) -> None:
    assert without_secrets(text.format(WORD)) == text.format(MASK)
    change = change_of({}, {"a.yaml": text.format(WORD) + "\n"})
    assert [(each.rule, each.line) for each in check_secrets(change).findings] == [("secrets/keyword", 1)]


def test_a_name_before_a_mapping_has_no_value() -> None:
    for text in (
        "password:\n  'description': it opens",
        "token:\n\n  'one more thing2'",
        "Your password:\nIt is secret.",
    ):
        assert without_secrets(text) == text
