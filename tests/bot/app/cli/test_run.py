"""What a newcomer meets first: a line at once, and a screen at the end."""

import os
import shutil
import subprocess
import sys

import pytest

from bot.report import PageReport
from bot.report.to_text import render_summary
from handlers.model import Verdict
from tests.bot.app.cli.conftest import Sidenote
from tests.builders import claim, claim_check, page, page_report


@pytest.mark.parametrize("command", ["run", "status"])
def test_the_first_line_waits_for_no_model_no_database_and_no_wiki(
    command: str,
) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys, bot.app.cli.{command};"
            "print([slow for slow in ('numpy', 'sqlalchemy', 'aiohttp', 'onnxruntime',"
            " 'mwclient') if slow in sys.modules])",
        ],
        check=True,
        capture_output=True,
        text=True,
    )

    assert done.stdout.strip() == "[]"


def _failing(text: str, verdict: Verdict) -> PageReport:
    check = claim_check(verdict, claim(text))
    return page_report(check, page=page(f"Article on {text}"))


def test_the_summary_begins_with_where_to_look_and_shows_three_findings() -> None:
    reports = [
        _failing("parrots", Verdict.PARTIALLY_SUPPORTED),
        _failing("clocks", Verdict.NOT_SUPPORTED),
        _failing("bells", Verdict.NOT_SUPPORTED),
        _failing("22 gulls", Verdict.CONTRADICTED),
    ]

    text = render_summary(reports, {"Report": "file:///r.html"}, width=80, colour=False)

    assert text.splitlines()[0] == "Report: file:///r.html"
    assert "4 claims of 4 articles" in text
    assert text.index("22 gulls") < text.index("clocks")
    assert "parrots" not in text
    assert len(text.splitlines()) < 30


@pytest.mark.parametrize(
    ("typed", "meant"), [(("chekc",), "check"), (("check", "--fromat"), "--format")]
)
def test_a_misspelt_word_is_answered_with_the_one_meant(
    sidenote: Sidenote, typed: tuple[str, ...], meant: str
) -> None:
    done = sidenote(*typed)

    assert done.code == 2
    assert meant in done.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_printed_and_answer_with_commands(
    sidenote: Sidenote, monkeypatch: pytest.MonkeyPatch, shell: str
) -> None:
    script = sidenote("completion", shell).out

    assert "_SIDENOTE_COMPLETE" in script

    monkeypatch.setenv("COMP_WORDS", "sidenote ch")
    monkeypatch.setenv("COMP_CWORD", "ch" if shell == "fish" else "1")
    monkeypatch.setenv("_SIDENOTE_COMPLETE", f"{shell}_complete")
    words = sidenote().out
    assert "check" in words
    assert "daemon" not in words


def test_the_manual_page_names_each_command_and_is_read_by_man(
    sidenote: Sidenote,
) -> None:
    page = sidenote("man").out

    assert page.startswith(".TH SIDENOTE 1")
    for command in ("check", "run", "daemon", "doctor", "gadget"):
        assert f"\n.SS {command}" in page
    assert "\n.B \\-\\-once" in page
    if shutil.which("man"):
        done = subprocess.run(
            ["man", "--warnings", "-l", "-"],
            input=page.encode(),
            capture_output=True,
            check=False,
            env={**os.environ, "MANWIDTH": "80"},
        )
        assert (done.returncode, done.stderr) == (0, b"")
