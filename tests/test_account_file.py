"""Pywikibot's account file takes all from the environment, and Pywikibot takes it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FILE = Path(__file__).parents[1] / "user-config.py"
TOKENS = ("consumer", "consumer-secret", "access", "access-secret")
ASKED = """
import json, sys
from pywikibot import config
from pywikibot.comms.http import get_authentication
print(json.dumps({
    "family": config.family,
    "language": config.mylang,
    "account": config.usernames[config.family].get(config.mylang),
    "signed": [get_authentication(each) for each in sys.argv[1:]],
}))
"""


def asked(folder: Path, *addresses: str, **environment: str) -> dict[str, object]:
    """Return what Pywikibot knows in a process of its own."""
    (folder / FILE.name).write_bytes(FILE.read_bytes())
    (folder / FILE.name).chmod(0o600)
    done = subprocess.run(
        [sys.executable, "-c", ASKED, *addresses],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYWIKIBOT_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_without_an_environment_there_is_neither_account_nor_secret(
    tmp_path: Path,
) -> None:
    found = asked(tmp_path, "https://en.wikipedia.org/w/api.php")

    assert (found["family"], found["language"]) == ("wikipedia", "en")
    assert found["account"] is None
    assert found["signed"] == [None]


def test_the_account_comes_from_the_environment(tmp_path: Path) -> None:
    found = asked(
        tmp_path, SIDENOTE_BOT_ACCOUNT="ExampleBot", SIDENOTE_WIKI_LANGUAGE="de"
    )

    assert (found["language"], found["account"]) == ("de", "ExampleBot")


@pytest.mark.parametrize("wiki", ["de.wikipedia.org", "http://127.0.0.1:8180/w/"])
def test_requests_to_the_wiki_are_signed_where_tokens_are_given_and_no_others(
    tmp_path: Path, wiki: str
) -> None:
    host = wiki.removeprefix("http://").partition("/")[0]

    found = asked(
        tmp_path,
        f"https://{host}/w/api.php",
        "https://fr.wikipedia.org/w/api.php",
        "https://example.org/w/api.php",
        SIDENOTE_WIKI=wiki,
        SIDENOTE_OAUTH=" ".join(TOKENS),
    )

    assert found["signed"] == [list(TOKENS), list(TOKENS), None]
