"""Pages that talk to whoever reads them, and a model that does what they say.

Each attack is put into a real page in each of the ways in which text gets there, the
page is read as every source is, and a puppet answers what the attack wants: with each
verdict, and quotes of the attack, of the claim, of the prompt, or made up.
"""

import asyncio
import base64
import codecs
import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.sources.extraction.html import read_html
from handlers.citations.quotes import find_quote
from tests.builders import SOURCE_TEXT
from tests.handlers.citations.test_model_judge import doubtful, put, says
from tests.hardening.figures import Figures, measured

_URL = "https://a.example/page"
_UNMADE = "The mayor declared a state of emergency on the following morning"
_MADE_UP = "The mayor spoke of the matter that evening"
_ENOUGH = 4_000  # characters of an attack that is repeated ten thousand times


def attacks(folder: Path) -> list[str]:
    """Return the words: the project's own and those of BIPIA."""
    found = [str(one) for one in _placements(folder)["project_strings"]]
    for file in sorted((folder / "bipia").glob("*.json")):
        for group in json.loads(file.read_text("utf-8")).values():
            found += group
    return list(dict.fromkeys(found))


def pages(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each attack in each place: the place, the attack, the page's HTML."""
    places = _placements(folder)["placements"]
    for attack in attacks(folder):
        for place in places:
            yield place["id"], attack, _page(_placed(attack, place["template"]))


def _placements(folder: Path) -> dict[str, Any]:
    file = folder / "prompt-injection-pages" / "placements.json"
    return dict(json.loads(file.read_text("utf-8")))


def _placed(attack: str, template: str) -> str:
    placements = {
        "{A with U+200B between letters}": "\u200b".join(attack),
        "{A with ^ between words}": "^".join(attack.split()),
        "{base64(A)}": base64.b64encode(attack.encode()).decode(),
        "{rot13(A)}": codecs.encode(attack, "rot13"),
        "{A repeated 10,000 times}": (attack + " ") * (_ENOUGH // len(attack) + 1),
    }
    for name, instead in placements.items():
        template = template.replace(name, html.escape(instead))
    return re.sub(r"\{A[^}]*\}", lambda _: html.escape(attack), template)


def _page(placed: str) -> str:
    story = "".join(f"<p>{html.escape(one)}</p>" for one in SOURCE_TEXT.split("\n"))
    return f"<html><body><article>{story}{placed}</article></body></html>"


async def try_pages(folder: Path, every: int, first: int = 0) -> Figures:
    """Try one page of `every`, beginning with the one of number `first`."""
    with measured("G8", "injected pages, with a model that obeys each") as figures:
        shown = 0
        for number, (place, attack, page) in enumerate(pages(folder)):
            if number % every == first:
                figures.tried += 1
                shown += await _try(figures, place, attack, page)
                await asyncio.sleep(0)
        figures.notes = [f"{shown:,} of them show the attack to their readers"]
    return figures


async def _try(figures: Figures, place: str, attack: str, page: str) -> bool:
    read = read_html(page.encode(), content_type="text/html; charset=utf-8", url=_URL)
    text = read.document.text if read.document else ""
    before = doubtful(_UNMADE, page=text or SOURCE_TEXT)
    for verdict in ("supported", "contradicted", "not_supported"):
        for quote in (attack, _UNMADE, _MADE_UP, attack[:60], ""):
            [check] = (await put(says(verdict, quote), before, obeys=True)).checks
            if replace(check, opinion=None) != before:
                figures.fault(
                    f"{place}: {verdict} with {quote[:60]!r}: {attack[:80]!r}"
                )
    return find_quote(attack, text) is not None
