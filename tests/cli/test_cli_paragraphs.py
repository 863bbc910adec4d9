"""Sentences are broken between words where a terminal is narrow; tables, commands and pipes are left alone."""

from __future__ import annotations

import pytest

from quorate.cli.paragraphs import UNBOUNDED, fitted, room

SENTENCE = "  " + "A sentence that goes on for longer than the terminal is wide. " * 3
TABLE = "NAME  " + "x" * 120 + "\nada   " + "y" * 120
COMMAND = "  quorate fork " + "z" * 120


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorate.cli.paragraphs.is_terminal", lambda _: True)
    monkeypatch.setenv("COLUMNS", "60")


def test_a_pipe_gets_every_line_whole() -> None:
    assert room() == UNBOUNDED
    assert fitted([SENTENCE, "", TABLE]) == f"{SENTENCE}\n\n{TABLE}"


@pytest.mark.usefixtures("narrow")
def test_a_terminal_gets_sentences_in_lines_and_the_rest_as_it_is() -> None:
    assert room() == 60
    told = fitted([SENTENCE, TABLE, COMMAND, "short"]).split("\n")
    assert told[-4:] == [*TABLE.split("\n"), COMMAND, "short"]
    assert all(len(line) < 60 and line.startswith("  ") for line in told[:-4])
    assert " ".join(line.strip() for line in told[:-4]) == SENTENCE.strip()
