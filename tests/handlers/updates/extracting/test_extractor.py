"""The extractor on pages as the web has them, with the encoder that ships."""

import asyncio
from dataclasses import replace
from datetime import date

import pytest

from bot.adapters.text_encoder import RememberingEncoder
from handlers.citations.better.reliability import ReliabilityLists, Rule
from handlers.model import (
    DateBasis,
    Extracted,
    Ignored,
    SourceReading,
    SourceText,
    Subject,
    Trust,
    Window,
)
from handlers.updates.criteria import EmbeddedCriteria
from handlers.updates.extracting import EmbeddedExtractor, ExtractionPolicy
from handlers.updates.roles import Extractor
from handlers.updates.subjects import subject_of
from tests.handlers.updates.builders import article, document, statement, subject
from tests.linear import is_linear, repeated

WIKITEXT = """\
'''Harbour Bridge''' is a road bridge in Port Example. It carries 12,000 cars a day.

== History ==
The bridge was opened in 1932 by mayor John Doe. It was repaired in 1975.

== Incidents ==
A lorry of Acme Transport hit the bridge in 1999 and closed it for two weeks.
"""
NEWS = """\
Home
News
Sport
Harbour Bridge closed to lorries after cracks were found
By Jane Roe | October 4, 2026
Harbour Bridge in Port Example was closed to lorries on 3 October 2026 after engineers
 found cracks in three of its piers.
“We are all very sad about this,” mayor Anna Smith told the Daily Example.
What will become of the bridge?
The repairs are expected to take two years.
Engineers of Acme Consulting had inspected the bridge in September 2026. They counted 41 cracks in the piers.
Harbour Bridge was opened in 1932 by mayor John Doe.
You can see our pictures of the bridge here.
In this image from video a lorry turns back at Harbour Bridge.
Read more about traffic in Port Example.
"""
SENTENCE = (
    "Harbour Bridge in Port Example was closed to lorries on 3 October 2026 after"
    " engineers found cracks in three of its piers."
)


@pytest.fixture(scope="module")
def encoder() -> RememberingEncoder:
    return RememberingEncoder()


async def bridge(**changes: object) -> Subject:
    page = article(WIKITEXT)
    window = Window(date(2026, 9, 1), date(2026, 11, 20))
    turn = await subject_of(page, window, date(2026, 11, 20), EmbeddedCriteria())
    return replace(turn.value, **changes)  # type: ignore[arg-type]  # fields by name


def page(
    text: str = NEWS,
    *,
    title: str = "Harbour Bridge closed to lorries",
    address: str = "https://news.example/lorries",
    published: str | None = "2026-10-04",
) -> SourceReading:
    found = SourceText(text, title=title, published=published)
    return replace(document(address), document=found)


async def extracted(
    encoder: RememberingEncoder, reading: SourceReading, **changes: object
) -> Extracted:
    role: Extractor = EmbeddedExtractor(encoder)
    turn = await role.extract(await bridge(**changes), reading, "folder")
    return turn.value


def whys(found: Extracted) -> list[Ignored]:
    return [one.why for one in found.passed_over]


async def test_a_page_of_news_gives_its_dated_facts_as_quotes(
    encoder: RememberingEncoder,
) -> None:
    reading = page()
    found = await extracted(encoder, reading)
    assert [one.text for one in found.candidates] == [
        SENTENCE,
        "Engineers of Acme Consulting had inspected the bridge in September 2026."
        " They counted 41 cracks in the piers.",
    ]
    for one in found.candidates:
        assert one.evidence.span.of(NEWS) == one.evidence.quote
        assert one.evidence.passage.span.of(NEWS) == one.evidence.passage.text
        assert one.evidence.quote in one.evidence.passage.text
        assert not one.is_worded
        assert one.search == "folder"
    first = found.candidates[0]
    assert (first.dated, first.basis) == (date(2026, 10, 3), DateBasis.TEXT)


async def test_each_sentence_on_the_subject_that_is_left_out_has_its_reason(
    encoder: RememberingEncoder,
) -> None:
    found = await extracted(encoder, page())
    told = {one.quote: one.why for one in found.passed_over}
    assert told["What will become of the bridge?"] is Ignored.NOT_A_FACT
    assert told["You can see our pictures of the bridge here."] is Ignored.OPINION
    opened = "Harbour Bridge was opened in 1932 by mayor John Doe."
    assert told[opened] is Ignored.OUTSIDE_WINDOW


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        (page(published="2026-12-24"), Ignored.OUTSIDE_WINDOW),
        (page(title="Harbour Bridge - Wikipedia"), Ignored.COPY),
        (page(f"{WIKITEXT} From Wikipedia, the free encyclopedia"), Ignored.COPY),
        (page(address="https://news.example/opinion/1"), Ignored.OPINION),
        (
            page("Die Brücke wurde für Lastwagen gesperrt und ist nicht mehr für den Verkehr auf."),
            Ignored.NOT_READ,
        ),
        (
            page("The cat sat on the mat of the old house in Boston.", title="Cats"),
            Ignored.NOT_ABOUT_SUBJECT,
        ),
    ],
)  # fmt: skip
async def test_a_document_that_proves_nothing_is_left_as_a_whole(
    encoder: RememberingEncoder, reading: SourceReading, why: Ignored
) -> None:
    found = await extracted(encoder, reading)
    assert not found.candidates
    assert whys(found) == [why]
    assert found.passed_over[0].address == reading.url


async def test_a_site_that_the_wiki_does_not_accept_is_left(
    encoder: RememberingEncoder,
) -> None:
    lists = ReliabilityLists([Rule("news.example", "", Trust.DEPRECATED)])
    turn = await EmbeddedExtractor(encoder, lists).extract(await bridge(), page(), "")
    assert whys(turn.value) == [Ignored.UNRELIABLE]


async def test_an_undated_page_counts_only_in_an_open_window(
    encoder: RememberingEncoder,
) -> None:
    undated = page(
        "Harbour Bridge was painted green by Acme Painters of Port Example.",
        published=None,
    )
    closed = await extracted(encoder, undated)
    assert whys(closed) == [Ignored.UNDATED]
    [one] = (await extracted(encoder, undated, window=Window())).candidates
    assert (one.dated, one.basis) == (None, None)


async def test_a_page_on_another_year_of_the_same_gives_nothing(
    encoder: RememberingEncoder,
) -> None:
    season = subject(
        page=article("'''2025 Bridge Run''' was a race.", "2025 Bridge Run"),
        names=("2025 Bridge Run",),
        statements=(statement("The 2025 Bridge Run was a race of 10 km in Port Example."),),
        window=Window(),
    )  # fmt: skip
    text = "The Bridge Run was a race of 10 km in Port Example. Jane Roe won the race in 31 minutes."
    extractor = EmbeddedExtractor(encoder)
    other = await extractor.extract(season, page(text, title="2026 Bridge Run"), "")
    same = await extractor.extract(season, page(text, title="2025 Bridge Run"), "")
    assert not other.value.candidates
    assert same.value.candidates


async def test_a_long_page_gives_its_best_and_tells_how_many_more_there_were(
    encoder: RememberingEncoder,
) -> None:
    lines = [
        f"Harbour Bridge was closed by Port Example for {number} days on 3 October 2026."
        for number in range(60)
    ]
    policy = ExtractionPolicy(most_candidates=3, most_told=5)
    extractor = EmbeddedExtractor(encoder, policy=policy)
    turn = await extractor.extract(await bridge(), page("\n".join(lines)), "")
    assert len(turn.value.candidates) == 3
    assert len(turn.value.passed_over) == 6
    assert "more sentences" in turn.value.passed_over[-1].detail


HOSTILE = [
    "(",
    "A b",
    "Harbour Bridge ",
    "a,\n",
    "\ufffd\x00\u202e Harbour Bridge was closed.\r\n",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_page_costs_little_and_breaks_nothing(
    encoder: RememberingEncoder, unit: str
) -> None:
    def read(text: str) -> None:
        found = asyncio.run(extracted(encoder, page(text)))
        assert all(one.evidence.quote in text for one in found.candidates)

    assert is_linear(repeated(unit), read, 90_000)


async def test_an_empty_page_has_nothing_to_tell(encoder: RememberingEncoder) -> None:
    assert not (await extracted(encoder, page(""))).candidates


async def test_two_sentences_are_quoted_together_only_as_they_stand(
    encoder: RememberingEncoder,
) -> None:
    first = "Engineers of Acme inspected Harbour Bridge in September 2026."
    second = "They counted 41 cracks in the piers of the bridge."
    apart = page(f"{first}\n  {second}")
    found = await extracted(encoder, apart)
    for one in found.candidates:
        assert " ".join(one.evidence.quote.split()) == one.text
    cut = await extracted(encoder, page(f"{first} - {second}"))
    texts = [one.text for one in cut.candidates]
    assert f"{first} {second}" not in texts


async def test_nothing_is_suggested_for_a_section_that_retells(
    encoder: RememberingEncoder,
) -> None:
    film = article(
        "'''The Tide''' is a 2026 drama film by Jane Roe.\n\n== Plot ==\n"
        "A pilot of Port Example finds a boat in the harbour.",
        "The Tide",
    )
    window = Window()
    turn = await subject_of(film, window, date(2026, 11, 20), EmbeddedCriteria())
    story = page(
        "In The Tide the pilot of Port Example finds a boat in the film's harbour and hides it there.",
        title="The Tide",
    )
    found = (await EmbeddedExtractor(encoder).extract(turn.value, story, "")).value
    assert not found.candidates


async def test_a_shop_is_no_source(encoder: RememberingEncoder) -> None:
    shop = page(address="https://news.example/products/harbour-bridge-model")
    assert whys(await extracted(encoder, shop)) == [Ignored.ADVERTISING]


async def test_what_is_said_with_praise_comes_behind_the_same_without(
    encoder: RememberingEncoder,
) -> None:
    plain = "Harbour Bridge was closed to lorries by Port Example on 3 October 2026."
    praised = plain.replace("was closed", "was, being especially important, closed")
    found = await extracted(encoder, page(f"{plain}\n{praised}"))
    scores = {one.text: one.score for one in found.candidates}
    assert scores[plain] > scores[praised]


async def test_an_interview_gives_only_figures(encoder: RememberingEncoder) -> None:
    text = "Harbour Bridge was closed by Mayor Anna Smith of Port Example."
    plain = await extracted(encoder, page(text))
    talk = await extracted(encoder, page(text, title="Interview: the Harbour Bridge"))
    assert plain.candidates
    assert not talk.candidates
