"""What vetoes are about, by the paths of files and by what the checks found in them (R44)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quorate.kit.findings import Severity
from quorate.protocols.review.rules.forms import Reported
from quorate.protocols.review.rules.model import VetoClass

_WORDS = (
    "acl auth authn authz authenticate authentication authorise authorize authorization certificate certificates certs "
    "cipher credential credentials crypto csrf encrypt encryption jwt keys keyring login oauth oauth2 password "
    "passwords passwd permission permissions policy privacy rbac saml secret secrets security session sessions signing "
    "signature ssl sso sudo tls token tokens vault"
)
"""Words in a path that speak of security and secrets."""
_MANIFESTS = (
    "build.gradle build.gradle.kts build.sbt cargo.toml cmakelists.txt composer.json constraints.txt environment.yml "
    "gemfile go.mod mix.exs package.json package.swift pipfile podfile pom.xml pubspec.yaml pyproject.toml "
    "requirements.txt setup.cfg setup.py"
)
_DELIVERY = (
    ".gitlab-ci.yml .npmrc .travis.yml appveyor.yml azure-pipelines.yml bitbucket-pipelines.yml codeowners "
    "compose.yaml compose.yml docker-compose.yaml docker-compose.yml dockerfile jenkinsfile procfile"
)
WORDS, MANIFESTS, DELIVERY = (frozenset(each.split()) for each in (_WORDS, _MANIFESTS, _DELIVERY))
DELIVERY_FOLDERS = frozenset({".circleci", ".github", ".buildkite", "migrations", "k8s", "terraform", "helm"})
INTERFACES = frozenset({"proto", "graphql", "gql", "wsdl", "thrift", "avsc", "openapi", "swagger"})
CHECKS = frozenset({"interfaces", "dependencies", "governance", "secrets", "circular imports", "house rules"})
"""Checks of which any finding says that what vetoes are about is touched."""
LEAST = Severity.MEDIUM


def is_sensitive(path: str, found: Sequence[Reported]) -> bool:
    """Return whether a file touches what vetoes are about: by its path, or by a finding of the checks in it."""
    return by_path(path) or any(each.path.text == path and _tells(each) for each in found)


def by_path(path: str) -> bool:
    """Return whether the path speaks of security, secrets, interfaces, dependencies or delivery."""
    *folders, name = path.lower().split("/")
    if name in MANIFESTS | DELIVERY or re.fullmatch(r"requirements[\w.-]*\.(?:txt|in)", name):
        return True
    if not DELIVERY_FOLDERS.isdisjoint(folders) or not INTERFACES.isdisjoint(name.split(".")):
        return True
    return not WORDS.isdisjoint(re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", path).lower()))


def _tells(each: Reported) -> bool:
    return each.veto is not VetoClass.NONE or each.severity.at_least(LEAST) or each.check.text in CHECKS
