"""What is shown of a page: all that is claimed, in its order, and no markup."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.wiki.folder import read_page_file
from handlers.model import PageId
from handlers.page import parse
from handlers.page.article import Article, Line, LineKind, article_of

_ARTICLES = sorted(
    (Path(__file__).parents[2] / "bot" / "demo" / "articles").glob("*.wikitext")
)
_PAGE = PageId("en.wikipedia.org", "Page")
_TEXT = """\
{{Infobox lighthouse|height=90&nbsp;m<ref name="h">{{cite web|url=https://a.example/h|title=H}}</ref>}}
The '''lighthouse''' stands at [[Hook Head|the Hook]].<ref name="h" /> It is old<ref>{{cite book|title=B|isbn=9780306406157}}</ref> and tall.<ref name="h" />

== History ==
* Built in 1172.{{efn|Or in 1173.<ref name="h" />}}<ref name="h" />
# First <b>keeper</b>.<ref name="h" />

=== Keepers ===
{| class="wikitable"
! Year !! Keeper
|-
! 1667
| Robert Readinge came.<ref name="h" />
|}
<!-- hidden --><b>alert(1)</b>
"""


def _lines(article: Article) -> list[Line]:
    runs = [run for part in article.parts for run in part.runs]
    return [line for _, lines in runs for line in lines]


def _words(line: Line) -> str:
    return " ".join("".join(one.text for one in line.stretches).split())


@pytest.mark.parametrize("path", _ARTICLES, ids=lambda path: path.stem)
def test_every_sentence_of_the_shipped_articles_is_shown(path: Path) -> None:
    found = read_page_file(path, wiki="en.wikipedia.org")
    page = parse(found.wikitext, found.id)

    article = article_of(page)

    shown = [_words(line) for line in [*_lines(article), *article.notes]]
    missing = [
        claim.sentence
        for claim in page.claims
        if not any(" ".join(claim.sentence.split()) in words for words in shown)
    ]
    assert page.claims
    assert missing == []


def test_the_words_stand_in_order_with_their_footnotes() -> None:
    article = article_of(parse(_TEXT, _PAGE))

    lines = [
        (line.kind, line.about, [(one.text, one.notes) for one in line.stretches])
        for line in _lines(article)
    ]
    assert lines == [
        (LineKind.FACT, "height", [("90 m", (1,))]),
        (
            LineKind.PARAGRAPH,
            "",
            [
                ("The lighthouse stands at the Hook.", (1,)),
                (" It is old", (2,)),
                (" and tall.", (1,)),
            ],
        ),
        (LineKind.BULLET, "", [("Built in 1172.", (1,))]),
        (LineKind.NUMBER, "", [("First keeper.", (1,))]),
        (LineKind.FACT, "1667, Keeper", [("Robert Readinge came.", (1,))]),
        (LineKind.PARAGRAPH, "", [("alert(1)", ())]),
    ]
    assert [(part.heading, part.level) for part in article.parts] == [
        ("", 0),
        ("History", 2),
        ("Keepers", 3),
    ]
    assert [_words(line) for line in article.notes] == ["Or in 1173."]
    assert [[one.title for one in each] for each in article.sources] == [["H"], ["B"]]


@given(st.text(alphabet="ab.[]{}<>|=*#\n'/ !-&;ref", max_size=80))
def test_whatever_is_written_there_can_be_shown(text: str) -> None:
    article = article_of(parse(text, _PAGE))

    assert all(_words(line) for line in _lines(article))
