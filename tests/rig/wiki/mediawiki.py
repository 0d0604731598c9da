"""The wiki of the demo, with the pages of the tests besides, for as long as tests run."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bot.bootstrap.loopback_wiki import demo_seeds, wiki_cache
from bot.loopback.wiki.code import Code, preferred_code
from bot.loopback.wiki.seeds import Seeds
from bot.loopback.wiki.serving import Wiki
from bot.loopback.wiki.serving import serve_wiki as serve
from handlers.ports import PermanentError
from tests.rig.service import absent, program
from tests.rig.wiki.pages import DELETED, HIDDEN, PAGES

__all__ = ["Wiki", "serve_wiki"]

_CACHE = wiki_cache(Path(__file__).parents[3] / ".cache" / "data")


@contextmanager
def serve_wiki(
    *, code: Code | None = None, known_as: str = "", changes_port: int = 0
) -> Iterator[Wiki]:
    """Serve a fresh copy of the test wiki; skip the test where there is none."""
    program("php")
    try:
        code = code or preferred_code()
    except PermanentError as error:
        absent(str(error))
    with serve(
        test_seeds(), _CACHE, code=code, known_as=known_as, changes_port=changes_port
    ) as wiki:
        yield wiki


@functools.cache
def test_seeds() -> Seeds:
    """Return what the test wiki holds: the demo, and the pages of the tests."""
    demo = demo_seeds()
    return replace(
        demo, pages=(*demo.pages, *PAGES), deleted=(DELETED,), hidden=(HIDDEN,)
    )
