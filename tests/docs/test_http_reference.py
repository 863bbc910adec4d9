"""The reference of the interface: it is what the description says, and the description is whole."""

from __future__ import annotations

import runpy
from typing import Any

from quorate.http.problems import MEDIA_TYPE
from tests.docs.book import ROOT

REFERENCE: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "http_reference.py"))
_description, _operations = REFERENCE["_description"], REFERENCE["_operations"]
http_models, http_operations = REFERENCE["http_models"], REFERENCE["http_operations"]
OPEN_TO_ALL = {"/api", "/api/login", "/api/logout"}


def test_the_page_says_what_the_code_says() -> None:
    text = (ROOT / "docs/reference/http.md").read_text(encoding="utf-8")
    assert http_operations() in text, "run: python docs/generate.py"
    assert http_models() in text, "run: python docs/generate.py"


def test_every_operation_is_described_with_what_it_gives_and_how_it_fails() -> None:
    operations = list(_operations())
    assert len(operations) > 30
    for path, method, operation in operations:
        where = f"{method} {path}"
        assert operation["summary"], where
        assert operation["tags"], where
        assert ("security" in operation) == (path not in OPEN_TO_ALL), where
        codes = set(operation["responses"])
        assert {"400", "401", "403", "422", "429", "500", "503"} <= codes, where
        assert any(code.startswith("2") for code in codes), where
        assert "{session}" not in path or "404" in codes, where
        assert "requestBody" not in operation or {"413", "415"} <= codes, where
        for code, answer in operation["responses"].items():
            if not code.startswith("2"):
                assert list(answer["content"]) == [MEDIA_TYPE], where


def test_every_model_forbids_what_it_does_not_name() -> None:
    def named(schema: Any) -> bool:
        return schema.get("additionalProperties") is False

    models = _description()["components"]["schemas"]
    assert all(named(schema) for name, schema in models.items() if "properties" in schema), [
        name for name, schema in models.items() if not named(schema)
    ]
