"""The targets lie beside the tests, in `fuzzing/`, where atheris drives them too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
