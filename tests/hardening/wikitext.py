"""Wikitext made to be slow, read at two lengths: four times the text, four times the time.

A reader that goes back over what it has read would take sixteen times as long, and a
page of a wiki may have two million characters.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from handlers.model import PageId
from handlers.page import parse
from handlers.page.article import article_of, stated
from tests.hardening.figures import Figures, measured
from tests.linear import is_linear, processor_s
from tests.wikitext_bombs import Bomb

_PAGE = PageId("en.wikipedia.org", "Example")
_QUICK_S = 0.5  # of processor time, that is not looked into


def collected(folder: Path) -> dict[str, Bomb]:
    """Return the bombs of the project's collection."""
    units = json.loads((folder / "parser-bombs/bombs.json").read_text())["wikitext"]
    return {one["unit"]: partial(str.__mul__, one["unit"]) for one in units}


def try_wikitext(
    bombs: Mapping[str, Bomb], chars: int, quick_s: float = _QUICK_S
) -> Figures:
    """Read each of `bombs` at `chars`, and where that is not quick, at a quarter."""
    with measured("35", f"wikitext bombs of {chars:,} characters") as figures:
        slowest = (0.0, "")
        for name, bomb in bombs.items():
            figures.tried += 1
            took_s: list[float] = []

            def read(text: str, took_s: list[float] = took_s) -> None:
                took_s.append(processor_s(_read, text))

            if not is_linear(partial(_of_length, bomb), read, chars, quick_s):
                figures.fault(f"{name}: {max(took_s):.1f} s")
            slowest = max(slowest, (max(took_s), name))
        figures.notes = [f"longest {slowest[0]:.1f} s ({slowest[1]})"]
    return figures


def _of_length(bomb: Bomb, chars: int) -> str:
    return bomb(100 * chars // len(bomb(100)))


def _read(text: str) -> None:
    page = parse(text, _PAGE)
    article_of(page)
    stated(page)
