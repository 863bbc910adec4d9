"""Names of files that hold secrets as a rule: none of them becomes material, context or a complaint's quotation.

Every reader of users' files asks here, by the name that was given and by the one that links lead to. What somebody
wants shown all the same is named in `QUORATE_ALLOW_FILES` on the machine that reads it, where no remote caller and no
reviewed project can set it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase, translate
from pathlib import Path

from quorate.core.errors import InputError

ALLOWED = "QUORATE_ALLOW_FILES"
"""The variable with patterns of names, separated by commas, that may be read although they are on the list."""
WHAT = "may hold secrets by its name, and is not read"
_KEPT_IN = ("json", "yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "xml", "csv", "txt", "enc", "bak")
FILES = (
    *(".env", ".env.*", "*.env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.jks", "*.keystore", "*.kdbx", "*.ppk", "*.tfstate", "*.tfstate.*"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".git-credentials", "credentials", "secrets", ".vault-token"),
    *(f"{name}.{ending}" for name in ("credentials", "secrets") for ending in _KEPT_IN),
    *("service-account*.json", "service_account*.json", "*.kubeconfig", "kubeconfig", ".terraformrc", ".dockercfg"),
)
"""Patterns of names. Source such as `secrets.py` is none of them: who reviews a change has to see it."""
HARMLESS = ("*.example", "*.sample", "*.template", "*.dist", "*.pub")
"""What stands for such a file and holds nothing."""
FOLDERS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store")
"""Folders whose files are all of this kind."""
_FILES, _HARMLESS = (re.compile("|".join(map(translate, names))) for names in (FILES, HARMLESS))


def is_guarded(parts: Iterable[str], allow: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> bool:
    """Whether a file is on the list by its name or by a folder above it; `allow` are patterns that are taken off."""
    *folders, name = [part.casefold() for part in parts if part] or [""]
    env = os.environ if environment is None else environment
    taken_off = [each.strip().casefold() for each in (*allow, *env.get(ALLOWED, "").split(",")) if each.strip()]
    if any(fnmatchcase(each, pattern) for each in (*folders, name) for pattern in taken_off):
        return False
    if any(each in FOLDERS for each in (*folders, name)):
        return True
    return bool(_FILES.match(name)) and not _HARMLESS.match(name)


def is_guarded_file(path: Path) -> bool:
    """Whether a file on disk is on the list, by the name it is given or by where its links lead."""
    if is_guarded(path.parts):
        return True
    try:
        return is_guarded(path.resolve().parts)
    except (OSError, RuntimeError, ValueError):  # whoever opens it says what is wrong
        return False


def refuse_guarded(path: Path, name: str | None = None) -> None:
    """Raise InputError for a file on the list; errors call it `name`."""
    if is_guarded_file(path):
        raise InputError(WHAT, file=name or str(path), expected=f"another file, or its name in {ALLOWED}")
