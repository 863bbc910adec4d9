"""Names of files that usually hold secrets: they are never used as material or context, nor quoted in errors.

Every reader of users' files checks here, by the given name and by the target of links. Exceptions are listed in
`QUORATE_ALLOW_FILES` on the machine that reads the file, where no remote caller and no reviewed project can set it.
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
WHAT = "is not read, because a file of this name may contain secrets"
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
"""Exceptions that hold no secrets, such as templates and public keys."""
FOLDERS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store")
"""Folders whose files are all of this kind."""
_FILES, _HARMLESS = (re.compile("|".join(map(translate, names))) for names in (FILES, HARMLESS))


def is_guarded(parts: Iterable[str], allow: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> bool:
    """Whether a file is guarded by its name or that of a parent folder; `allow` are patterns of exceptions."""
    *folders, name = [part.casefold() for part in parts if part] or [""]
    env = os.environ if environment is None else environment
    taken_off = [each.strip().casefold() for each in (*allow, *env.get(ALLOWED, "").split(",")) if each.strip()]
    if any(fnmatchcase(each, pattern) for each in (*folders, name) for pattern in taken_off):
        return False
    if any(each in FOLDERS for each in (*folders, name)):
        return True
    return bool(_FILES.match(name)) and not _HARMLESS.match(name)


def is_guarded_file(path: Path) -> bool:
    """Whether a file on disk is guarded, by its given name or by the target of its links."""
    if is_guarded(path.parts):
        return True
    try:
        return is_guarded(path.resolve().parts)
    except (OSError, RuntimeError, ValueError):  # whoever opens it says what is wrong
        return False


def refuse_guarded(path: Path, name: str | None = None) -> None:
    """Raise InputError for a guarded file; errors call it `name`."""
    if is_guarded_file(path):
        raise InputError(WHAT, file=name or str(path), expected=f"another file, or its name in {ALLOWED}")
