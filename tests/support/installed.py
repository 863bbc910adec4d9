"""Packages as an installation leaves them, in an environment of their own; no package index, and nothing is built."""

from __future__ import annotations

import shutil
import sysconfig
import tomllib
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


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


def environment(source: Path, folder: Path, *packages: str) -> Path:
    """Make a Python environment in which a source tree is installed beside Quorate, and return its interpreter.

    What Quorate needs is taken from the environment of the tests; that one never sees the packages.
    """
    venv.EnvBuilder(symlinks=True).create(folder)
    site = site_of(folder)
    for name in packages:
        shutil.copytree(source / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    write_metadata(tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"], site)
    beside = dict.fromkeys((str(ROOT / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (site / "quorate.pth").write_text("".join(f"{each}\n" for each in beside))
    return folder / "bin" / "python"


def site_of(folder: Path) -> Path:
    """Return where an environment has its packages."""
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
