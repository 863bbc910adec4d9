"""The files to deploy with: they parse, they use what Compose and systemd know, and our commands and settings exist."""

from __future__ import annotations

import re
import shlex
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from quorate.cli.main import cli
from quorate.config import PLAIN_KEYS, WATCH
from quorate.http.access import READ_VARIABLE, WRITE_VARIABLE
from quorate.watching.endpoint import is_local, read_address
from quorate.workspace import find_workspace

FOLDER = Path(__file__).parents[2] / "deploy"
UNITS = sorted(FOLDER.glob("*.service"))
COMPOSE: dict[str, Any] = YAML(typ="safe").load(FOLDER / "compose.yaml")
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = ("serve", "worker")
TOP = {"name", "services", "volumes", "networks", "configs", "secrets", "include"}
KNOWN = {
    *("image", "build", "command", "entrypoint", "environment", "env_file", "ports", "expose", "volumes", "tmpfs"),
    *("depends_on", "healthcheck", "restart", "deploy", "init", "read_only", "cap_drop", "cap_add", "security_opt"),
    *("stop_grace_period", "stop_signal", "user", "working_dir", "networks", "profiles", "secrets", "labels"),
}
"""What the Compose specification has for a service, as far as anybody needs it here."""
CHECKS = {"test", "interval", "timeout", "retries", "start_period", "start_interval", "disable"}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}
DURATION = re.compile(r"(\d+(us|ms|s|m|h))+")
SYSTEMD = {
    "Unit": {
        *("Description", "Documentation", "After", "Before", "Wants", "Requires", "StartLimitIntervalSec"),
        *("StartLimitBurst", "ConditionPathExists"),
    },
    "Service": {
        *("Type", "User", "Group", "StateDirectory", "WorkingDirectory", "EnvironmentFile", "Environment"),
        *("ExecStart", "ExecStartPre", "Restart", "RestartSec", "SuccessExitStatus", "TimeoutStopSec", "KillSignal"),
        *("LimitNOFILE", "NoNewPrivileges", "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices"),
        *("ProtectKernelTunables", "ProtectKernelModules", "ProtectControlGroups", "RestrictAddressFamilies"),
        *("RestrictSUIDSGID", "LockPersonality", "CapabilityBoundingSet", "UMask", "MemoryMax"),
    },
    "Install": {"WantedBy", "Alias"},
}


def read_unit(path: Path) -> dict[str, dict[str, list[str]]]:
    """Read a unit as systemd does: sections, `Key=value`, comments on lines of their own."""
    found: dict[str, dict[str, list[str]]] = {}
    section = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith(("#", ";")):
            continue
        if heading := re.fullmatch(r"\[(\w+)\]", line):
            section = heading[1]
            assert section not in found, f"{path.name}:{number}"
            found[section] = defaultdict(list)
            continue
        pair = re.fullmatch(r"([A-Za-z]+)=(.*)", line)
        assert pair is not None, f"{path.name}:{number}: {line}"
        assert section, f"{path.name}:{number}: before any section"
        found[section][pair[1]].append(pair[2])
    return found


def ours() -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Every command of ours in these files, with the settings that it is given."""
    for name in OURS:
        yield f"compose {name}", SERVICES[name]["command"], SERVICES[name]["environment"]
    for path in UNITS:
        service = read_unit(path)["Service"]
        (line,) = service["ExecStart"]
        pairs = [pair for each in service["Environment"] for pair in shlex.split(each)]
        yield path.name, shlex.split(line), dict(pair.split("=", 1) for pair in pairs)


def test_the_compose_file_has_what_compose_knows() -> None:
    assert all(key in TOP or key.startswith("x-") for key in COMPOSE)
    for name, service in SERVICES.items():
        assert service.keys() <= KNOWN, name
        assert "image" in service or "build" in service, name
        check = service.get("healthcheck", {})
        assert check.keys() <= CHECKS, name
        for key in ("interval", "timeout", "start_period"):
            assert DURATION.fullmatch(check.get(key, "1s")), name
        if check:
            assert check["test"][0] in ("CMD", "CMD-SHELL", "NONE"), name
        assert DURATION.fullmatch(service.get("stop_grace_period", "1s")), name
        for needed, how in service.get("depends_on", {}).items():
            assert how["condition"] in CONDITIONS, name
            if how["condition"] == "service_healthy":
                assert "healthcheck" in SERVICES[needed], f"{name} waits for {needed}, which has no check"


def test_images_are_pinned_and_volumes_are_declared() -> None:
    for name, service in SERVICES.items():
        image, _, tag = service["image"].rpartition(":")
        assert image, name
        assert tag != "latest", name
        for volume in service.get("volumes", ()):
            source = volume.split(":")[0]
            assert source in COMPOSE["volumes"] or source.startswith("./"), f"{name}: {volume}"


def test_no_secret_and_no_path_of_a_machine_stands_in_the_files() -> None:
    for path in (FOLDER / "compose.yaml", *UNITS):
        text = path.read_text(encoding="utf-8")
        for word in re.findall(r"(?:PASSWORD|PWD|TOKEN|PGPASSWORD)\s*[:=]\s*(\S+)", text):
            assert word.startswith("${"), f"{path.name}: {word}"
        assert not re.search(r"/(home|root|Users|work)/", text), path.name
    for name in OURS:
        assert SERVICES[name]["environment"]["QUORATE_TOKEN"].startswith("${QUORATE_TOKEN:?"), name


def test_what_is_published_is_published_to_this_machine_alone() -> None:
    for name, service in SERVICES.items():
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:"), f"{name}: {port}"


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_the_units_have_what_systemd_knows(path: Path) -> None:
    unit = read_unit(path)
    assert unit.keys() == SYSTEMD.keys()
    for section, keys in unit.items():
        assert keys.keys() <= SYSTEMD[section], f"{path.name}: {section}"
    service = unit["Service"]
    assert service["ExecStart"][0].startswith("/"), "systemd wants a whole path"
    assert service["Restart"] == ["on-failure"]
    assert service["User"] == ["quorate"]


def test_there_are_both_units() -> None:
    assert [path.name for path in UNITS] == ["quorate-serve.service", "quorate-worker.service"]


@pytest.mark.parametrize(("where", "words"), [(where, words) for where, words, _ in ours()])
def test_every_command_and_option_exists(where: str, words: list[str]) -> None:
    assert words[0].endswith("quorate"), where
    command = cli.get_command(click.Context(cli), words[1])
    assert command is not None, where
    made = command.make_context(words[1], list(words[2:]), resilient_parsing=False)
    address = made.params.get("metrics")
    if isinstance(address, str):
        read_address(address)


def test_every_setting_exists(tmp_path: Path) -> None:
    plain = {f"QUORATE_{key.upper()}" for key in PLAIN_KEYS}
    for where, _, environment in ours():
        given = {name: value for name, value in environment.items() if name.startswith("QUORATE_")}
        for name in given:
            assert name in {*plain, WRITE_VARIABLE, READ_VARIABLE} or name.startswith(WATCH), f"{where}: {name}"
        find_workspace(tmp_path, given)  # an unknown setting, or a wrong value, raises


def test_whoever_listens_to_other_machines_has_a_token() -> None:
    for where, words, environment in ours():
        for option in ("--host", "--metrics"):
            value = words[words.index(option) + 1] if option in words[:-1] else ""
            host = read_address(value).host if option == "--metrics" and value else value
            if host and not host.startswith("--") and not is_local(host):
                assert WRITE_VARIABLE in environment, where
                assert READ_VARIABLE in environment, where
