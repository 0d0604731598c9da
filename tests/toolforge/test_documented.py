"""What the runbook says can be typed: Toolforge takes it, and so does the database."""

import re
import shlex
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from bot.store.schema import metadata
from tests.toolforge.stand_in import grammar

_ROOT = Path(__file__).parents[2]
_PLACES = (
    "docs/operators.md",
    "toolforge/environment",
    "toolforge/jobs.yaml",
)
_VERBS = r"(?:build|jobs|webservice|envvars)"
_COMMAND = re.compile(rf"\btoolforge ({_VERBS} [^`\n#|;)<>]+)")


def _commands(text: str) -> list[list[str]]:
    joined = text.replace("\\\n", " ")
    return [shlex.split(found) for found in _COMMAND.findall(joined)]


def _written_down() -> list[list[str]]:
    return [
        command
        for place in _PLACES
        for command in _commands((_ROOT / place).read_text("utf-8"))
        if not {"$@", "and"} & set(command)  # filled in where it runs; or prose
    ]


def test_every_command_that_is_written_down_is_taken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = []
    for command in _written_down():
        try:
            grammar().parse_args(command)
        except SystemExit:
            refused.append((command, capsys.readouterr().err.splitlines()[-1]))

    assert len(_written_down()) > 2
    assert refused == []


def test_a_wrong_command_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    [command] = _commands("`toolforge jobs run try --image x --waiting 300`")

    with pytest.raises(SystemExit):
        grammar().parse_args(command)
    assert "required: --command" in capsys.readouterr().err


def test_what_the_incident_steps_delete_is_in_the_tables_by_these_names() -> None:
    text = (_ROOT / "docs" / "operators.md").read_text("utf-8")
    steps = re.findall(r"`(DELETE FROM [^`]+)`", text)
    engine = create_engine("sqlite://")
    metadata.create_all(engine)

    assert len(steps) > 8
    with engine.begin() as connection:
        for step in steps:
            connection.exec_driver_sql(step)
