"""A small folder to start from, which `quorate init roundtable` writes: two documents and their meta.json."""

from __future__ import annotations

from collections.abc import Mapping

_REQUIREMENTS = """\
# Requirements

## Reminders

- A member is reminded of a borrowed book three days before it is due.
- A member can turn reminders off.

## Open points

- Which channels: mail only, or text messages as well?
"""

_ARCHITECTURE = """\
# Architecture

## Overview

One web application with one PostgreSQL database. A nightly job already sends the list of overdue books to the staff.

## Decisions

- The nightly job is the only thing that runs on a schedule.
"""

_META = """\
{
  "source": "manual",
  "source_id": "",
  "slug": "library-reminders",
  "created_at": "2026-01-05T09:00:00Z",
  "analysis_status": "partial",
  "phases_completed": ["00-quick-scan"],
  "codebase_hash": "",
  "steps_completed": ["01-01"],
  "depth_overrides": {},
  "elaborations": [],
  "elaboration_config": {"max_turns": 10}
}
"""

SAMPLE: Mapping[str, str] = {
    "elaboration/requirements.md": _REQUIREMENTS,
    "elaboration/architecture.md": _ARCHITECTURE,
    "elaboration/meta.json": _META,
}
