"""Tests never reach the network: every call to another machine is refused before it is made."""

from __future__ import annotations

import os

os.environ["QUORATE_OFFLINE"] = "1"
