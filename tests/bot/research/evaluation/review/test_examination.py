"""What a statement is judged by: readable pages, details, and who said what."""

import asyncio

import numpy as np
import pytest

from bot.models.lexical import LexicalVerifier
from bot.research.evaluation.metrics import UndefinedMetricError
from bot.research.evaluation.review.articles import GENERATED, CitedPage, Reference
from bot.research.evaluation.review.examination import (
    CUT_AFTER,
    ArticleResult,
    Examiner,
    Unread,
    is_leak,
    plain,
    readable,
)
from bot.research.evaluation.review.figures import kappa
from bot.research.evaluation.review.judge import (
    Details,
    EmbeddedJudge,
    Question,
    Stance,
    compare,
)
from handlers.citations.passages import cut
from handlers.model import SourceText, Verdict
from handlers.text.analysis import analyse
from handlers.updates.entailment import claim_of
from tests.bot.research.engine import WordEncoder
from tests.bot.research.evaluation.review.folder import (
    FACTS,
    GOOD,
    MARKDOWN,
    NEWS_TEXT,
    TITLE,
)
from tests.fakes import FakeVerifier

PAGE = (
    "The Packers had three turnovers. Lawrence Tynes kicked a 47-yard field goal at"
    " 12:25 on January 20, 2008. The Giants beat them in Green Bay."
)
ALL_THERE = Details(missing=False, differ=False)
MISSING = Details(missing=True, differ=False)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("Tynes kicked a 47-yard field goal.", ALL_THERE),
        ("Tynes kicked it at 12:25 in January 2008.", ALL_THERE),
        ("The Packers lost.", ALL_THERE),  # the article's own name needs no proof
        ("Tynes kicked it at 12:31.", MISSING),
        ("Tynes kicked it in March 2008.", MISSING),
        ("Plaxico Burress was there.", MISSING),
        ("The Packers had two turnovers.", Details(missing=True, differ=True)),
    ],
)
def test_details_are_looked_for(statement: str, found: Details) -> None:
    passages = cut(SourceText(PAGE), "page")
    best = "The Packers had three turnovers."

    assert compare("Packers", claim_of(statement), passages, best, analyse) == found


def result() -> ArticleResult:
    examiner = Examiner(EmbeddedJudge(LexicalVerifier()), WordEncoder())
    article = GENERATED.validate_python(GOOD)
    reference = Reference(TITLE, MARKDOWN, FACTS)
    return asyncio.run(examiner.result("good", reference, article))


def test_statements_are_judged_by_their_pages_or_have_a_reason() -> None:
    found = result()

    judged = [
        (one.by_pages and one.by_pages.stance, one.unread) for one in found.statements
    ]
    assert judged == [
        (Stance.SUPPORT, None),
        (Stance.CONFLICT, None),  # the page says two arches, and five nowhere
        (None, Unread.FAILED),
        (None, Unread.LITTLE_TEXT),
        (None, Unread.NO_CITATION),
    ]
    assert (found.pages, found.citations) == (1, 3)


def test_a_statement_that_cites_the_article_covers_nothing() -> None:
    found = result()

    assert [one.is_leaked for one in found.statements] == [
        False,
        False,
        True,
        False,
        False,
    ]
    opened, _, fire = found.facts
    assert (
        opened.verdict.stance is not Stance.SUPPORT
    )  # only the leaked statement says it
    assert fire.verdict.stance is Stance.SUPPORT
    assert fire.nearest == 0
    assert found.statements[2].by_wiki.stance is Stance.SUPPORT


def test_a_page_without_the_statements_name_does_not_support_it() -> None:
    statements = ("Anna Holm spoke.", "Bo Lind spoke.")
    sure = FakeVerifier(dict.fromkeys(statements, Verdict.SUPPORTED))

    answer = asyncio.run(
        EmbeddedJudge(sure).by_pages(
            "Bridge", [*map(Question, statements)], [NEWS_TEXT]
        )
    )

    assert [one.stance for one in answer] == [Stance.SUPPORT, Stance.NOT_SUPPORT]


@pytest.mark.parametrize(
    ("address", "leaks"),
    [
        ("https://en.wikipedia.org/wiki/Ring_of_Nestor#History", True),
        ("https://en.m.wikipedia.org/wiki/Ring%20of%20Nestor", True),
        ("https://en.wikipedia.org/w/index.php?title=Ring_of_Nestor&oldid=3", True),
        ("https://www.wikiwand.com/en/articles/Ring_of_Nestor", True),
        ("https://dbpedia.org/page/Ring-of-Nestor.html", True),
        ("https://greece.fandom.com/wiki/Ring_of_Nestor", False),
        ("https://en.wikipedia.org/wiki/Nestor", False),
        ("https://museum.example/ring-of-nestor", False),
        ("https://[broken", False),
    ],
)
def test_the_article_leaks_by_its_address(address: str, *, leaks: bool) -> None:
    assert is_leak(address, "Ring of Nestor") is leaks


def test_a_page_is_read_without_its_links_menus_and_pictures() -> None:
    text = plain(NEWS_TEXT)

    assert text.startswith("A fire damaged two arches of Marstal Bridge in 2022")
    assert "Home" not in text


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("1[15:00](https://x.example/a)NYG 3000[Bo Li](https://x.example/b) kicks", "1 15:00 NYG 3000 Bo Li kicks"),
        ("the [Giant](https://x.example/g)s won.[[15]](https://x.example/#n)", "the Giants won."),
        ("| Seats | [72,740](https://x.example/s) |\n| --- | --- |", "Seats | 72,740."),
        ("_Oct. 17_; **bold** snake_case 3 * 4", "Oct. 17; bold snake_case 3 * 4"),
    ],
)  # fmt: skip
def test_words_that_ran_together_are_parted(markdown: str, words: str) -> None:
    assert plain(markdown) == words


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", Unread.FAILED),
        ("<Error><Code>NoSuchKey</Code><Message>The key does not exist.</Message>", Unread.LITTLE_TEXT),
        ("You've been blocked by network security. To continue, log in to your account or use your token. If you think this is a mistake, file a ticket below and we'll look into it.", Unread.ERROR_PAGE),
        ("*   [Menu](https://x.example/menu)\n" * (CUT_AFTER // 34 + 9) + "Title", Unread.CUT_BEFORE_TEXT),
        (NEWS_TEXT, None),
    ],
)  # fmt: skip
def test_a_page_without_a_text_has_a_reason(content: str, why: Unread | None) -> None:
    page = CitedPage("https://x.example", content=content[:CUT_AFTER])

    found = readable(page)
    assert found is why if why else isinstance(found, str)


def test_judges_that_all_say_the_same_have_no_kappa() -> None:
    same = np.array([1, 1])
    with pytest.raises(UndefinedMetricError):
        kappa(same, same)
    assert kappa(np.array([0, 1, 1]), np.array([0, 1, 0])) == pytest.approx(0.4)
