"""The official schema of SARIF 2.1.0, where it can be found; it is not ours to ship."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

NAME = "sarif-schema-2.1.0.json"


def official_validator() -> Any:
    """The validator: of the schema that the environment names, or of one in `shared/data` beside this repository."""
    given = os.environ.get("QUORATE_SARIF_SCHEMA")
    beside = (folder / "shared" / "data" / NAME for folder in Path(__file__).resolve().parents)
    path = Path(given) if given else next((each for each in beside if each.is_file()), None)
    if path is None:
        pytest.skip(f"the official schema is not here; set QUORATE_SARIF_SCHEMA to the path of {NAME}")
    return jsonschema.Draft4Validator(json.loads(path.read_text(encoding="utf-8")))
