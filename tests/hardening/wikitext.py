"""Wikitext made to be slow, read at two lengths: four times the text, four times the time.

A reader that goes back over what it has read would take sixteen times as long, and a
page of a wiki may have two million characters.
"""

import json
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from handlers.model import PageId
from handlers.wikitext import parse
from handlers.wikitext.showing import article_of
from handlers.wikitext.stating import stated
from tests.hardening.figures import Figures, measured
from tests.wikitext_bombs import Bomb

_PAGE = PageId("en.wikipedia.org", "Example")
_TIMES = 4
_SQUARE = 2.5  # of the time a character takes, where it would be 4; below that is noise
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
            whole_s = _a_char_s(bomb, chars)
            slowest = max(slowest, (whole_s, name))
            if whole_s * chars < quick_s or not _grows(bomb, chars, whole_s):
                continue
            if _grows(bomb, chars, _a_char_s(bomb, chars)):  # twice: no noise
                figures.fault(f"{name}: {whole_s * 1e6:.1f} microseconds a character")
        figures.notes = [f"longest {slowest[0] * chars:.1f} s ({slowest[1]})"]
    return figures


def _grows(bomb: Bomb, chars: int, whole_s: float) -> bool:
    """Tell whether a character takes more time in the whole than in a quarter of it."""
    return whole_s > _SQUARE * _a_char_s(bomb, chars // _TIMES)


def _a_char_s(bomb: Bomb, chars: int) -> float:
    text = bomb(100)
    text = bomb(100 * chars // len(text))
    began_s = time.process_time()
    page = parse(text, _PAGE)
    article_of(page)
    stated(page)
    return (time.process_time() - began_s) / len(text)
