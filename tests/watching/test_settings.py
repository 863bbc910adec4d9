"""The settings of watching: nothing by default, no silent mistakes, and no library without need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.watching import process
from quorate.watching.extras import needed
from quorate.watching.process import watching
from quorate.watching.settings import LogFormat, Watch
from quorate.workspace import find_workspace
from tests.watching.watched_sessions import place


def test_nothing_is_watched_by_default(tmp_path: Path) -> None:
    settings = place(tmp_path).config.watch
    assert settings == Watch()
    assert watching(settings).sinks == ()


def test_settings_come_from_a_file_and_from_variables(tmp_path: Path) -> None:
    place(tmp_path, {"traces": "http://localhost:4318", "logs": "json"})
    environment = {"QUORATE_WATCH_METRICS": "true", "QUORATE_WATCH_LOGS": "text", "QUORATE__WATCH__PROSE": "true"}
    found = find_workspace(tmp_path, environment).config.watch
    assert found == Watch("http://localhost:4318", logs=LogFormat.TEXT, metrics=True, prose=True)


@pytest.mark.parametrize(
    ("watch", "said"),
    [
        ({"trace": "http://localhost:4318"}, "did you mean 'traces'?"),
        ({"traces": "localhost:4318"}, "watch.traces: is not an address"),
        ({"traces": "ftp://localhost"}, "watch.traces: is not an address"),
        ({"traces": "http://[::1"}, "watch.traces: is not an address"),
        ({"traces": "http://user:word@localhost:4318"}, "OTEL_EXPORTER_OTLP_HEADERS"),
        ({"traces": True}, "watch.traces: is True"),
        ({"logs": "jsn"}, "did you mean 'json'?"),
        ({"metrics": "yes please"}, "watch.metrics"),
        ({"push_metrics": True}, "needs a collector"),
    ],
)
def test_a_wrong_setting_says_where_it_stands(watch: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError) as raised:
        place(tmp_path, watch)
    assert "quorate.yaml" in str(raised.value)
    assert said in str(raised.value)
    assert "user:word" not in str(raised.value)


def test_an_unknown_variable_is_an_error(tmp_path: Path) -> None:
    place(tmp_path)
    with pytest.raises(SettingError, match="tracez"):
        find_workspace(tmp_path, {"QUORATE_WATCH_TRACEZ": "http://localhost:4318"})


def test_offline_no_collector_elsewhere_is_reached(tmp_path: Path) -> None:
    settings = place(tmp_path, {"traces": "http://collector.example:4318"}).config.watch
    with pytest.raises(SettingError, match="QUORATE_OFFLINE"):
        watching(settings)
    offline = {"QUORATE_OFFLINE": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318"}
    assert not process._told_by_variables(offline)
    assert process._told_by_variables({**offline, "OTEL_EXPORTER_OTLP_ENDPOINT": "http://[::1]:4318"})
    assert not process._told_by_variables({"OTEL_TRACES_EXPORTER": "none", **offline, "QUORATE_OFFLINE": ""})


def test_no_file_can_send_the_keys_of_a_collector_astray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = place(tmp_path, {"traces": "http://127.0.0.1:4318"}).config.watch
    key = "api-key=" + "5f3a" * 8
    for name in process.HEADERS:
        with monkeypatch.context() as environment:
            environment.setenv(name, key)
            with pytest.raises(SettingError, match="to an address from the settings") as raised:
                watching(settings)
            assert key not in str(raised.value)


def test_a_missing_library_says_what_to_install() -> None:
    with pytest.raises(SettingError, match=r"quorate\[watch\]"), needed("watch.traces"):
        raise ModuleNotFoundError("No module named 'opentelemetry'", name="opentelemetry")


def test_no_library_of_watching_is_imported_unless_it_is_asked_for() -> None:
    program = (
        "import sys, quorate, quorate.api, quorate.cli.main, quorate.api.watchers, quorate.watching.process\n"
        "from quorate.watching.settings import Watch\n"
        "quorate.watching.process.watching(Watch())\n"
        "print([name for name in ('opentelemetry', 'structlog', 'prometheus_client') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"
