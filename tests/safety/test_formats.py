"""Formats of secrets are known without the extra `review`, by their form or by the name of the provider."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest

from quorate.safety.formats import has_plugins
from quorate.safety.secrets import without_secrets
from tests.safety.test_secrets import HEX, PROVEN, found_in
from tests.support.drawn_secrets import BASE64, drawn
from tests.support.extras import without_detect_secrets


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with without_detect_secrets(monkeypatch):
        yield


NAMED = {
    "an AWS secret key": ("aws", "aws_key = '{}'", drawn(38, BASE64) + "/q"),
    "an AWS secret key in text": ("aws", "AWS Secret Key: {}", drawn(40)),
    "a Cloudant password": ("cloudant", "cloudant_pw: {}", drawn(64, HEX)),
    "a Cloudant key": ("cloudant", "cloudant-api-key={}", drawn(24, string.ascii_lowercase)),
    "an IBM Cloud key": ("ibm", 'IBM_CLOUD_API_KEY="{}"', drawn(44)),
    "an IBM storage key": ("ibm", "cos_hmac_secret_access_key = {}", drawn(48, HEX)),
    "a SoftLayer key": ("softlayer", "softlayer_api_key = '{}'", drawn(64, HEX)),
    "an Artifactory key": ("artifactory", "X-JFrog-Art-Api: {}", "AKCp" + drawn(69)),
    "an Artifactory token": ("artifactory", "curl -u me:{}", "cmVmdGtu" + drawn(56)),
    "an Azure storage key": ("azure", "AccountName=shop;AccountKey={};", drawn(86, BASE64) + "=="),
    "a Twilio key": ("twilio", "the account AC is not {}", "SK" + drawn(32, HEX)),
    "a Slack webhook": ("slack", "post to {}", f"https://hooks.slack.com/services/T{drawn(9)}/B{drawn(9)}/{drawn(24)}"),
}


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", NAMED)
def test_keys_without_a_form_of_their_own_are_known_by_their_provider_without_the_extra(name: str) -> None:
    rule, line, value = NAMED[name]
    assert value not in without_secrets(line.format(value))
    assert f"secrets/{rule}" in [rule for rule, *_ in found_in("notes.txt", line.format(value))]


@pytest.mark.parametrize(
    "line",
    [
        f"aws_key_commit = '{drawn(40, HEX)}'",
        f"the cloud key of the house: {drawn(12, HEX)}",
        "cloudant_password: <your password>",
        "aws_secret_access_key = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY'",
        f"softlayer_key_id = {drawn(32, HEX)}",
    ],
)
def test_what_only_stands_near_a_provider_is_no_key(line: str) -> None:
    assert [found for found in found_in("notes.txt", line) if found[2]] == []
    assert without_secrets(line) == line


def test_a_long_key_is_nobodys_for_its_length() -> None:
    assert [veto for *_, veto in found_in("src/a.py", f'CACHE_KEY = "{drawn(44)}"')] == [""]


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", PROVEN)
def test_every_format_is_known_and_masked_without_the_extra(name: str) -> None:
    assert not has_plugins()
    rule, value = PROVEN[name]
    assert value not in without_secrets(f"see {value}, please")
    assert [rule for rule, *_ in found_in("src/app.py", f'client = connect("{value}")')] == [f"secrets/{rule}"]
