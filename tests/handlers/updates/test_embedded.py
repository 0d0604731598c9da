"""A run without a language model: what it reports, and what it leaves alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pytest

from bot.models.encoder import RememberingEncoder
from bot.models.neural import NeuralVerifier
from handlers.citations.reliability import EVERYWHERE, ReliabilityLists, Rule
from handlers.model import (
    Backing,
    Discovery,
    Found,
    Ignored,
    Imprint,
    Query,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Trust,
    UpdateKind,
    Window,
)
from handlers.ports import TemporaryError
from handlers.updates.discovery import discover, embedded
from handlers.updates.editor import EmbeddedEditor
from handlers.updates.entailment import CachedVerifier
from handlers.updates.roles import Budget, Tools
from tests.handlers.updates.builders import TODAY, article

CARS = "As of May 2024, it carries 12,000 cars a day."
MORE = "As of September 2026, Harbour Bridge carries 15,000 cars a day."
CLOSED = (
    "Inspectors closed Harbour Bridge to lorries after they had found cracks in 1987."
)
REPAIRED = (
    "In October 2026 inspectors closed Harbour Bridge again after Palm & Sons had found"
    " cracks in two cables."
)
ARTICLE = f"""\
'''Harbour Bridge''' is a bridge in Port Example. {CARS}

== History ==
{CLOSED} Harbour Bridge was opened in 1932 by the mayor of Port Example.
"""
HEADLINE = "Harbour Bridge in Port Example"
A, B = "https://one.example/a", "https://two.example/b"
NOVEMBER = Window(date(2026, 9, 1), TODAY)


@dataclass
class Folder:
    """Finds and reads the pages it holds; those without a text cannot be reached."""

    pages: Mapping[str, SourceText | None]
    name: str = "folder"

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        assert query.title == "Harbour Bridge"
        return [Found(one, None, "", 1.0, "folder") for one in self.pages][:limit]

    async def read(self, source: Source) -> SourceFetch:
        text = self.pages[source.url or ""]
        if text is None:
            raise TemporaryError("the site is away", retry_in_s=1.0)
        return SourceFetch(
            source, SourceOutcome.READ, "read", url=source.url, document=text
        )


def page(
    *said: str, day: str | None = "2026-10-04", title: str = HEADLINE
) -> SourceText:
    text = " ".join(("Harbour Bridge is in Port Example and known to all.", *said))
    return SourceText(text, title=title, imprint=Imprint(published=day))


@pytest.fixture(scope="module")
def judge() -> CachedVerifier:
    return CachedVerifier(NeuralVerifier())


@pytest.fixture(scope="module")
def encoder() -> RememberingEncoder:
    return RememberingEncoder()


@dataclass
class Runs:
    judge: CachedVerifier
    encoder: RememberingEncoder

    async def __call__(
        self,
        pages: Mapping[str, SourceText | None],
        *,
        window: Window = NOVEMBER,
        wikitext: str = ARTICLE,
        lists: ReliabilityLists | None = None,
        time_s: float = 600.0,
    ) -> Discovery:
        folder = Folder(pages)
        chosen = lists or ReliabilityLists(())
        return await discover(
            article(wikitext),
            window,
            TODAY,
            roles=embedded(self.judge, self.encoder, chosen, editor=EmbeddedEditor()),
            tools=Tools((folder,), folder, self.judge, self.encoder, chosen),
            budget=Budget(time_s=time_s),
            elapsed_s=lambda: 0.0,
        )


@pytest.fixture
def run(judge: CachedVerifier, encoder: RememberingEncoder) -> Runs:
    return Runs(judge, encoder)


def why(found: Discovery) -> set[Ignored]:
    return {one.ignored for one in found.trace if one.ignored}


async def test_an_outdated_value_comes_with_its_quote_and_both_values(
    run: Runs,
) -> None:
    found = await run({A: page(MORE)})

    [one] = found.updates
    assert one.kind is UpdateKind.OUTDATED
    assert one.replaces is not None
    assert one.replaces.text == CARS
    assert one.sources[0].evidence.quote == MORE
    assert one.dated == date(2026, 10, 4)
    [step, _edit] = [step for step in found.trace if step.update == one.number]
    assert (
        "“12,000” in the article, “15,000” in the source dated 2026-10-04" in step.what
    )
    [edit] = found.proposals
    assert "{{update inline" in edit.after.lower()


async def test_a_short_sentence_makes_a_long_one_outdated(run: Runs) -> None:
    short = "Harbour Bridge carries 15,000 cars a day."

    [one] = (await run({A: page(short)})).updates

    assert one.kind is UpdateKind.OUTDATED
    assert one.sources[0].evidence.quote == short


async def test_two_sites_that_say_so_support_one_update(run: Runs) -> None:
    said = "The council counted that Harbour Bridge now carries 15,000 cars a day."
    other = replace(page(), text=said)
    found = await run({A: page(MORE), B: other})

    [one] = [one for one in found.updates if one.kind is UpdateKind.OUTDATED]
    assert {each.site for each in one.sources} == {"one.example", "two.example"}
    assert one.backing is Backing.HIGH


async def test_a_third_value_is_no_second_source(run: Runs) -> None:
    third = page(
        "The council counted that Harbour Bridge now carries 18,000 cars a day."
    )
    found = await run({A: page(MORE), B: third})

    [one] = [one for one in found.updates if one.kind is UpdateKind.OUTDATED]
    assert [each.site for each in one.sources] == ["one.example"]


async def test_a_source_without_a_sure_day_makes_nothing_outdated(run: Runs) -> None:
    undated = page(MORE, day=None)
    in_window = await run({A: undated})
    assert not in_window.updates
    assert Ignored.UNDATED in why(in_window)

    any_day = await run({A: undated}, window=Window())
    assert all(one.kind is not UpdateKind.OUTDATED for one in any_day.updates)


async def test_an_older_source_makes_nothing_outdated(run: Runs) -> None:
    found = await run({A: page(MORE, day="2023-10-04")}, window=Window())
    assert all(one.kind is not UpdateKind.OUTDATED for one in found.updates)


async def test_a_newer_source_is_pointed_to_with_the_sentence_that_shows_why(
    run: Runs,
) -> None:
    [one] = (await run({A: page(REPAIRED)})).updates

    assert one.kind is UpdateKind.POINTER
    assert one.section == ("History",)
    assert one.sources[0].evidence.quote == REPAIRED
    assert one.dated == date(2026, 10, 4)


async def test_a_source_that_is_no_newer_than_its_section_is_not_pointed_to(
    run: Runs,
) -> None:
    newer = ARTICLE.replace("opened in 1932", "opened in October 2026")
    found = await run({A: page(REPAIRED, day="2026-09-20")}, wikitext=newer)
    assert not found.updates
    assert Ignored.OLDER_THAN_ARTICLE in why(found)


async def test_what_the_article_says_recommends_no_source(run: Runs) -> None:
    said = ARTICLE.replace(
        CLOSED, f"{CLOSED} {REPAIRED.replace('Palm & Sons', 'a firm')}"
    )
    found = await run(
        {A: page(REPAIRED.replace("Palm & Sons", "a Firm"))}, wikitext=said
    )
    assert not found.updates


async def test_a_copy_of_another_page_is_no_second_source(run: Runs) -> None:
    copied = page(REPAIRED)
    [one] = (await run({A: copied, B: copied})).updates
    assert len(one.sources) == 1


async def test_a_copy_of_the_article_is_no_source(run: Runs) -> None:
    text = " ".join(ARTICLE.replace("'''", "").split())
    long = ARTICLE + " ".join(
        f"It has rivet number {n} in its arch." for n in range(40)
    )
    found = await run(
        {A: replace(page(MORE), text=f"{text} {long} {MORE}")}, wikitext=long
    )
    assert not found.updates
    assert Ignored.COPY in why(found)


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        (
            SourceText("Cats are kept all over the world by many.", title="Cats"),
            Ignored.NOT_ABOUT_SUBJECT,
        ),
        (page(MORE, day="2027-01-01"), Ignored.UNDATED),
        (replace(page(MORE), language="de"), Ignored.NOT_READ),
    ],
)
async def test_what_cannot_serve_is_left_with_the_reason(
    run: Runs, text: SourceText, ignored: Ignored
) -> None:
    with_day = replace(text, imprint=Imprint(published="2026-10-04"))
    given = text if text.imprint.published else with_day
    found = await run({A: given})
    assert not found.updates
    assert ignored in why(found)


async def test_a_site_that_the_wiki_refuses_is_not_used(run: Runs) -> None:
    lists = ReliabilityLists(
        (Rule("one.example", "", Trust.SELF_PUBLISHED, EVERYWHERE),)
    )
    found = await run({A: page(MORE)}, lists=lists)
    assert not found.updates
    assert Ignored.UNRELIABLE in why(found)


async def test_a_page_that_cannot_be_read_stops_no_other(run: Runs) -> None:
    found = await run({B: None, A: page(MORE)})
    assert len(found.updates) == 1
    assert found.troubles == ("the site is away",)


async def test_words_that_a_scraper_ran_together_are_not_quoted(run: Runs) -> None:
    torn = REPAIRED.replace("cracks in two", "View photosCracks in two")
    assert not (await run({A: page(torn)})).updates


async def test_a_page_without_a_title_is_read_as_one_with(run: Runs) -> None:
    titled = await run({A: page(MORE)})
    bare = await run({A: replace(page(MORE), title=None)})
    assert [one.text for one in bare.updates] == [one.text for one in titled.updates]
