"""A run without a language model: what it reports, and what it leaves alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import pytest

from bot.models.encoder import RememberingEncoder
from bot.models.lexical import shipped_lexical
from bot.models.neural import NeuralVerifier
from handlers.model import (
    Backing,
    Criteria,
    DayPlace,
    Discovery,
    Engine,
    Found,
    Ignored,
    Imprint,
    Query,
    SectionCriteria,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
    Trust,
    UpdateKind,
    Window,
)
from handlers.ports import TemporaryError
from handlers.sources.reliability import EVERYWHERE, ReliabilityLists, Rule
from handlers.updates.discovery import discover, embedded
from handlers.updates.editor import EmbeddedEditor
from handlers.updates.embedded import place
from handlers.updates.entailment import CachedVerifier
from handlers.updates.roles import Budget, Tools
from tests.handlers.updates.builders import TODAY, article, statement, stems, subject

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
RARITY = shipped_lexical().model.rarity
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
            roles=embedded(
                *(self.judge, self.encoder, chosen, RARITY), editor=EmbeddedEditor()
            ),
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
    sentence = "The council counted that Harbour Bridge now carries 15,000 cars a day."
    other = replace(page(), text=sentence)
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
    cite = "<ref>{{cite web|url=https://c.example/1|title=T|date=1 October 2026}}</ref>"
    found = await run(
        {A: page(REPAIRED, day="2026-09-20")}, wikitext=f"{ARTICLE.strip()}{cite}\n"
    )
    assert not found.updates
    assert Ignored.OLDER_THAN_ARTICLE in why(found)


async def test_a_day_that_the_article_names_makes_no_source_older(run: Runs) -> None:
    planned = ARTICLE.replace("opened in 1932", "to be closed in October 2026")
    [one] = (await run({A: page(REPAIRED, day="2026-09-20")}, wikitext=planned)).updates

    assert (one.dated, one.sources[0].dated_in) == (
        date(2026, 9, 20),
        DayPlace.METADATA,
    )


async def test_what_the_article_says_recommends_no_source(run: Runs) -> None:
    said = ARTICLE.replace(
        CLOSED, f"{CLOSED} {REPAIRED.replace('Palm & Sons', 'a firm')}"
    )
    found = await run(
        {A: page(REPAIRED.replace("Palm & Sons", "a Firm"))}, wikitext=said
    )
    assert not found.updates


async def test_the_same_words_with_another_number_are_new(run: Runs) -> None:
    again = CLOSED.replace("1987", "4 October 2026")
    [one] = (await run({A: page(again)})).updates
    assert (one.kind, one.text) == (UpdateKind.POINTER, again)


async def test_another_page_that_says_the_same_is_a_second_voice(run: Runs) -> None:
    reworded = REPAIRED.replace(
        "In October 2026 inspectors", "Inspectors in October 2026"
    )
    other = SourceText(
        f"The town was told on Monday by its council. {reworded}",
        title=HEADLINE,
        imprint=Imprint(published="2026-10-05"),
    )
    [one] = (await run({A: page(REPAIRED), B: other})).updates
    assert {each.site for each in one.sources} == {"one.example", "two.example"}


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
        (
            SourceText(
                "Die Harbour Bridge ist nach einem Gutachten für Lastwagen gesperrt.",
                title="Harbour Bridge",
            ),
            Ignored.NOT_READ,
        ),
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


CAREER = statement(
    "She joined Example United as a striker in 2019.", section=("Career",)
)
FAMILY = statement(
    "She lives in Port Example with her husband.", section=("Personal life",)
)
CRITERIA = Criteria(
    (
        SectionCriteria((), ()),
        SectionCriteria(("Career",), ("clubs",)),
        SectionCriteria(("Personal life",), ("family",)),
        SectionCriteria(("Awards",), ("prizes",)),
        SectionCriteria(("References",), (), is_open=False),
    ),
    "0" * 64,
    Engine("outline", "1"),
)


class SharedWords:
    """Takes the share of stems that two texts have in common for their likeness."""

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        return [[_alike(one, other) for other in others] for one in texts]


def _alike(one: str, other: str) -> float:
    first, second = stems(one), stems(other)
    return len(first & second) / max(1, min(len(first), len(second)))


PLAYER = subject(statements=(CAREER, FAMILY), criteria=CRITERIA)


async def test_a_fact_goes_to_the_section_most_like_it() -> None:
    [ranked] = await place(
        PLAYER, ["In 2026 she joined Sample City as a striker."], SharedWords()
    )
    assert ranked[0][1] == ("Career",)


async def test_rare_words_that_a_section_shares_decide_between_equals() -> None:
    class Same(SharedWords):
        async def likeness(
            self, texts: Sequence[str], others: Sequence[str]
        ) -> Sequence[Sequence[float]]:
            return [[1.0] * len(others) for _ in texts]

    [ranked] = await place(PLAYER, ["The awards were hers in 2019."], Same())
    assert ranked[0][1] == ("Awards",)


async def test_all_open_sections_are_ranked_and_no_closed_one() -> None:
    [ranked] = await place(PLAYER, ["A striker."], SharedWords())
    assert {path for _, path in ranked} == {
        (),
        ("Career",),
        ("Personal life",),
        ("Awards",),
    }
    scores = [score for score, _ in ranked]
    assert scores == sorted(scores, reverse=True)


async def test_where_no_section_takes_facts_there_is_no_place() -> None:
    closed = Criteria((CRITERIA.sections[-1],), "0" * 64, CRITERIA.engine)
    assert await place(subject(criteria=closed), ["A striker."], SharedWords()) == [[]]
    assert await place(PLAYER, [], SharedWords()) == []


async def test_all_that_a_section_says_counts_and_not_its_nearest_statement_alone() -> (
    None
):
    matches = [
        statement(f"Player {name} scored in the final.", section=("Final",))
        for name in ("Ada", "Bea", "Cleo")
    ]
    aside = statement(
        "Ada scored in the final of a card game once.", section=("Trivia",)
    )
    others = [
        statement(f"The {name} museum sells stamps.", section=("Trivia",))
        for name in ("red", "blue", "green")
    ]
    criteria = replace(
        CRITERIA,
        sections=(SectionCriteria(("Final",), ()), SectionCriteria(("Trivia",), ())),
    )
    article = subject(statements=(aside, *others, *matches), criteria=criteria)

    [ranked] = await place(article, ["Ada scored in the final game."], SharedWords())

    assert [path for _, path in ranked] == [("Final",), ("Trivia",)]


async def test_a_section_of_a_thousand_rows_is_placed_by_a_sample() -> None:
    rows = [statement(f"Row {n} of results.", section=("Career",)) for n in range(1000)]
    encoder = Counting()
    long = subject(statements=(FAMILY, *rows), criteria=CRITERIA)

    [ranked] = await place(long, ["Another row of results."], encoder)

    assert ranked[0][1] == ("Career",)
    assert encoder.pairs < 20_000


class Counting(SharedWords):
    """Counts the pairs that it compares."""

    def __init__(self) -> None:
        self.pairs = 0

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        self.pairs += len(texts) * len(others)
        return await super().likeness(texts, others)
