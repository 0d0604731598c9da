"""The documentation is built from the code, and what it tells people to type exists."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from bot.app.cli import sidenote
from bot.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    *sorted(
        str(one.relative_to(ROOT))
        for one in (ROOT / "docs").rglob("*.md")
        if "_" not in str(one.relative_to(ROOT))[5]
    ),
)
_COMMAND = re.compile(
    r"(?:\./dev sidenote|`sidenote|^sidenote) ([^`\n#]+)", re.MULTILINE
)


def _typed() -> list[tuple[str, list[str]]]:
    return [
        (page, shlex.split(found.replace("…", ""))[:12])
        for page in PAGES
        for found in _COMMAND.findall((ROOT / page).read_text("utf-8"))
    ]


def _fault(words: list[str]) -> str | None:
    """Return what is wrong with a command line, as far as it names things."""
    command: click.Command = sidenote
    context = click.Context(command)
    if words[0] == "--settings":
        words = words[2:]
    while isinstance(command, click.Group) and words:
        found = command.get_command(context, words[0])
        if found is None:
            return f"no command {words[0]}"
        command, words = found, words[1:]
    known = {
        name for one in command.params for name in (*one.opts, *one.secondary_opts)
    }
    known |= {"--help", "-h"}
    wrong = [
        word
        for word in words
        if word.startswith("-") and word.partition("=")[0] not in known
    ]
    return f"{command.name} has no {wrong[0]}" if wrong else None


def test_commands_and_options_that_the_pages_name_exist() -> None:
    typed = _typed()

    assert len(typed) > 40
    assert [
        (page, words, fault) for page, words in typed if (fault := _fault(words))
    ] == []


def test_a_wrong_option_is_found() -> None:
    assert _fault(["check", "Bodmin", "--revisoin", "3"]) == "check has no --revisoin"
    assert _fault(["chek", "Bodmin"]) == "no command chek"


def test_links_between_pages_lead_somewhere() -> None:
    missing = [
        (page, target)
        for page in PAGES
        for target in re.findall(
            r"\]\((?!https?:|#)([^)#\s]+)", (ROOT / page).read_text("utf-8")
        )
        if not ((ROOT / page).parent / target).exists()
    ]

    assert missing == []


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    built = subprocess.run(
        [
            sys.executable,
            "-m",
            "sphinx",
            "-q",
            "-n",
            "-W",
            "--keep-going",
            "docs",
            str(tmp_path),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert built.returncode == 0, built.stderr
    assert "SIDENOTE" in (tmp_path / "operators.html").read_text("utf-8")
    settings = (tmp_path / "settings.html").read_text("utf-8")
    assert [name for name in Settings.model_fields if name not in settings] == []
