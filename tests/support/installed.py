"""Packages as an installation leaves them on the path, without a package index and without building anything."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any


def write_metadata(project: dict[str, Any], site: Path) -> None:
    """Write what an installer writes of the table `project` of a pyproject.toml: its name and its entry points."""
    place = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = [
        line
        for group, entries in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
    ]
    (place / "entry_points.txt").write_text("\n".join(points) + "\n")


def install(source: Path, site: Path, *packages: str) -> None:
    """Put the packages of a source tree and their metadata into a folder for the path."""
    site.mkdir(exist_ok=True)
    for name in packages:
        shutil.copytree(source / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_metadata(tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"], site)
