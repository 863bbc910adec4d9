"""A validated request to open a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.api.creation import open_session
from quorate.api.inputs import PREFIX, as_path, is_file
from quorate.api.roots import Roots
from quorate.api.seats import Seating
from quorate.core.errors import InputError, SettingError
from quorate.kit.definition import Definition
from quorate.participants.weights import PACKAGED
from quorate.store.journal import Journal
from quorate.workspace import Workspace

MOST_MODEL = 500
"""Characters of a model's name."""
MOST_SEED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A newly opened session, and warnings about it as sentences."""

    session: str
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """What a session is to be opened with."""

    workspace: Workspace
    """With the settings of the request over its own."""
    journal: Journal
    definition: Definition
    inputs: Mapping[str, Any]
    """By name, each as its kind has it."""
    settings: frozenset[str]
    """The settings that came with the request, by name."""
    panel: Seating | None
    model: str | None
    seed: int | None
    roots: Roots | None

    def folder(self, name: str) -> Path | None:
        """Return the folder given for an input, which must exist; None if none was given."""
        path: Path | None = self.inputs.get(name)
        if path is not None and not path.is_dir():
            raise InputError(
                f"{path.name!r} is not a folder", key=PREFIX + name, expected="the path of an existing folder"
            )
        return path

    async def begin(
        self,
        material: Mapping[str, str],
        *,
        run: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
        title: str | None = None,
        context: Path | None = None,
        says: Sequence[str] = (),
    ) -> OpenedSession:
        """Open the session on this material, by name, with the panel, the model and the seed of the order.

        `run` is plain JSON for the protocol's own code, handed back to `holds`, `leave` and the others in any process.
        `settings` override those of the workspace; `says` are warnings for the caller.
        """
        session = await open_session(
            self.workspace,
            self.journal,
            self.definition.name,
            material,
            panel=self.panel,
            model=self.model,
            seed=self.seed,
            context=context,
            title=title,
            settings=settings,
            run={self.definition.name: dict(run)} if run else None,
        )
        return OpenedSession(session, tuple(says))

    def check_seats(self) -> None:
        """Raise unless a panel or a model is named, here or in the settings; there is no default participant."""
        config = self.workspace.config
        if not any((self.panel, self.model, config.panel, config.model)):
            raise SettingError(
                f"no panel or model is named for the seats of the {self.definition.name}",
                key="panel",
                expected="a panel or a model, here or in quorate.yaml; the model local:smollm2 is for trying it out",
            )


def checked_seed(seed: Any) -> int | None:
    """Return a valid seed, or raise InputError."""
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED):
        raise InputError("is not a seed", key="seed", expected=f"a whole number from 0 to {MOST_SEED}")
    return seed


def checked_panel(panel: Any, roots: Roots | None) -> Seating | None:
    """Return a panel that a request may use: a file, inside the roots if there are any.

    Without roots it may also be a mapping; a remote caller may not name files through one.
    """
    if panel is None or (isinstance(panel, Mapping) and roots is None):
        return panel
    if not isinstance(panel, str | Path):
        raise InputError(f"is a {type(panel).__name__}", key="panel", expected="the path of a panel file")
    if "\0" in str(panel):
        raise InputError("is not a path", key="panel", expected="the path of a panel file")
    path = as_path(str(panel), "panel", "the path of a panel file", roots)
    if not is_file(path):
        raise InputError(f"{path.name!r} is not a file", key="panel", expected="the path of a panel file")
    return path


def checked_model(model: Any, roots: Roots | None) -> str | None:
    """Return the name of a model that a request may use.

    A remote caller may name files inside the roots only, and no address: where data and keys are sent is decided by
    whoever writes the panel.
    """
    if model is None:
        return None
    if not isinstance(model, str) or not model.strip() or len(model) > MOST_MODEL or not model.isprintable():
        raise SettingError("is not a model name", key="model", expected="a name such as anthropic:claude-sonnet-4-5")
    if roots is None:
        return model
    kind, _, name = model.partition(":")
    if kind == "script":
        return f"script:{as_path(name, 'model', 'a script', roots)}"
    if kind == "local" and name not in PACKAGED:
        path = as_path(name, "model", "the path of a model", roots)
        if not is_file(path):
            known = ", ".join(f"local:{each}" for each in PACKAGED)
            raise SettingError(
                "is not a local model that is installed here",
                key="model",
                expected=f"{known}, or the path of a .gguf file",
            )
        return f"local:{path}"
    if "@http" in name:
        raise SettingError(
            "has an address, which a request may not name", key="model", expected="a model without one, or a panel file"
        )
    return model
