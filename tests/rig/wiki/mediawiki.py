"""The wiki of the demo, with the pages of the tests besides, for as long as tests run.

`SIDENOTE_TEST_MEDIAWIKI=1.39` has them run on that version where it is installed.
"""

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bot.app.wiring.demo import demo_seeds, wiki_cache
from bot.demo.loopback.wiki.code import Code, installed_code, preferred_code
from bot.demo.loopback.wiki.seeds import Seeds
from bot.demo.loopback.wiki.serving import Wiki
from bot.demo.loopback.wiki.serving import serve_wiki as serve
from handlers.ports import PermanentError
from tests.rig.service import absent, program
from tests.rig.wiki.pages import DELETED, HIDDEN, PAGES

__all__ = ["Wiki", "serve_wiki"]

CACHE = wiki_cache(Path(__file__).parents[3] / ".cache" / "data")


@contextmanager
def serve_wiki(
    *,
    code: Code | None = None,
    known_as: str = "",
    changes_port: int = 0,
    runs_jobs: bool = False,
) -> Iterator[Wiki]:
    """Serve a fresh copy of the test wiki; skip the test where there is none."""
    code = code or mediawiki_here()
    with serve(
        test_seeds(),
        CACHE,
        code=code,
        known_as=known_as,
        changes_port=changes_port,
        runs_jobs=runs_jobs,
    ) as wiki:
        yield wiki


def mediawiki_here() -> Code:
    """Return the code that is installed; skip the test where there is none."""
    program("php")
    try:
        return _wanted_code() or preferred_code()
    except PermanentError as error:
        absent(str(error))


@functools.cache
def test_seeds() -> Seeds:
    """Return what the test wiki holds: the demo, and the pages of the tests."""
    demo = demo_seeds()
    return replace(
        demo, pages=(*demo.pages, *PAGES), deleted=(DELETED,), hidden=(HIDDEN,)
    )


def _wanted_code() -> Code | None:
    wanted = os.environ.get("SIDENOTE_TEST_MEDIAWIKI")
    if not wanted:
        return None
    found = [code for code in installed_code() if code.version.startswith(wanted)]
    return found[0] if found else absent(f"MediaWiki {wanted} is not here")
