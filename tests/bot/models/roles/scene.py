"""An article, the pages that a search finds for it, and a model in all roles over them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from bot.app.wiring.checks import open_verifier
from bot.models.encoder import RememberingEncoder
from bot.settings import Settings
from handlers.model import (
    Discovery,
    Found,
    Imprint,
    PageId,
    Query,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Window,
)
from handlers.page import parse
from handlers.ports import LanguageModel, TextEncoder, Verifier
from handlers.sources.reliability import ReliabilityLists
from handlers.updates import roles as ports
from handlers.updates.discovery import by_model, discover
from handlers.updates.entailment import CachedVerifier
from handlers.updates.roles import Budget, CriteriaCache, Roles

TODAY = date(2026, 11, 20)
WINDOW = Window(date(2026, 9, 1), TODAY)
WIKITEXT = """\
'''Harbour Bridge''' is a road bridge over the [[River Example]] in Port Example. As of May 2024, it \
carries 12,000 vehicles a day.

== History ==
Harbour Bridge was opened in 1932 by the mayor, Clara Stone.<ref>{{cite web\
|url=https://old.example/1932|title=O}}</ref> It was widened to four lanes in 1988.

== Traffic ==
As of May 2024, Harbour Bridge carries 12,000 vehicles a day, of which 900 are lorries.\
<ref>{{cite web|url=https://old.example/2024|title=T|date=May 2024}}</ref>

== References ==
{{reflist}}
"""
CLOSED = "Harbour Bridge was closed to lorries on 3 October 2026 after engineers found cracks in two of its girders."
MEDAL = "Harbour Bridge received the national heritage medal on 12 October 2026 from the transport minister, Peter Hall."
COUNT = "As of October 2026, Harbour Bridge carries 15,400 vehicles a day, the city council said in its traffic count."
NEWS, TIMES, CITY = (
    "https://news.example/closed",
    "https://times.example/medal",
    "https://city.example/count",
)
PAGES = {
    NEWS: (
        "Harbour Bridge closed to lorries",
        f"{CLOSED} The bridge in Port Example had been inspected in the summer of this year.",
    ),
    TIMES: (
        "Medal for Harbour Bridge",
        f"{MEDAL} The ceremony in Port Example drew 300 guests.",
    ),
    CITY: ("Traffic on Harbour Bridge", f"{COUNT} The count took place in one week."),
}


@dataclass
class Place:
    """A search that finds every page, and a reader that has them; both keep a list."""

    pages: dict[str, tuple[str, str]]
    name: str = "folder"
    asked: list[Query] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        self.asked.append(query)
        return [
            Found(address, title, text[:120], 1.0, self.name)
            for address, (title, text) in self.pages.items()
        ][:limit]

    async def read(self, source: Source) -> SourceFetch:
        assert source.form is SourceForm.URL
        assert source.url is not None
        self.opened.append(source.url)
        title, text = self.pages[source.url]  # nothing else may ever be opened
        document = SourceText(
            text, title=title, language="en", imprint=Imprint(published="2026-10-15")
        )
        return SourceFetch(
            source, SourceOutcome.READ, "read", url=source.url, document=document
        )


@dataclass(frozen=True)
class Tools:
    """The models that ship, loaded once."""

    verifier: Verifier
    encoder: TextEncoder


def tools() -> Tools:
    return Tools(CachedVerifier(open_verifier(Settings())), RememberingEncoder())


def with_model(
    of: Tools, model: LanguageModel, cache: CriteriaCache | None = None
) -> Roles:
    lists = ReliabilityLists(())
    return by_model(model, of.verifier, of.encoder, lists, cache=cache)


async def run(
    of: Tools,
    roles: Roles,
    place: Place,
    budget: Budget | None = None,
    wikitext: str = WIKITEXT,
) -> Discovery:
    ticks = itertools.count()
    page = parse(wikitext, PageId("en.wikipedia.org", "Harbour Bridge", 7, 70))
    return await discover(
        page,
        WINDOW,
        TODAY,
        roles=roles,
        tools=ports.Tools((place,), place, of.verifier, of.encoder),
        budget=budget or Budget(steps=20),
        elapsed_s=lambda: next(ticks) / 1000,
    )
