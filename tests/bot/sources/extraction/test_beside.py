"""What a page says beside its paragraphs is read; its menus are not."""

import pytest

from bot.sources.extraction.html import read_html
from handlers.model import SourceOutcome

PARAGRAPHS = [
    "The note below was printed in the yearbook of the county library, which is kept"
    " in the reading room and sent to other libraries on request.",
    "The town has a new hall. It seats 900 people, twice as many as the old one, and"
    " stands where the ropeworks stood until the fire.",
    "Readers who know more are asked to write to the editors. Letters are printed"
    " twice a year, with the name of the writer and the town.",
]


def lines_of(between: str, *, around: str = "article", after: str = "") -> list[str]:
    first, second, third = (f"<p>{one}</p>" for one in PARAGRAPHS)
    page = (
        "<html lang=en><head><title>New hall</title></head><body>"
        "<nav><a href=/>All of our news</a></nav>"
        f"<{around}><h1>New hall</h1>{first}{second}{between}{third}</{around}>{after}"
        "<footer><p>Terms and conditions of the library</p></footer></body></html>"
    )
    found = read_html(page.encode(), content_type="text/html", url="https://a.example/")
    assert found.outcome is SourceOutcome.READ
    assert found.document is not None
    return found.document.text.split("\n")


BESIDE = [
    ("<figure><img src=a><figcaption>Opened in 2019.</figcaption></figure>", "Opened in 2019."),
    ("<aside><h2>In figures</h2><p>Architect: Karl Dreyer</p></aside>", "Architect: Karl Dreyer"),
    ('<div class="box"><div>Cost: 5 million</div></div>', "Cost: 5 million"),
    ("<table><tr><th>Cost</th><td>5 million</td></tr></table>", "Cost | 5 million"),
    ("<ul><li>Seats: 900 in rows</li></ul>", "Seats: 900 in rows"),
    ("<table><tr><td>2019</td><td><img alt=Won></td></tr></table>", "2019 | Won"),
    ("<details><summary>More</summary><p>It has a bar.</p></details>", "It has a bar."),
    ("<figure><blockquote>It took four winters.</blockquote></figure>", "It took four winters."),
]  # fmt: skip


@pytest.mark.parametrize("around", ["article", "main", "div"])
@pytest.mark.parametrize(("between", "line"), BESIDE)
def test_what_stands_between_two_paragraphs_is_read_where_it_stands(
    between: str, line: str, around: str
) -> None:
    lines = lines_of(between, around=around)

    before, after = lines.index(PARAGRAPHS[1]), lines.index(PARAGRAPHS[2])
    assert before < lines.index(line) < after
    assert lines.count(line) == 1


def test_a_term_and_what_is_said_of_it_stay_together() -> None:
    lines = lines_of("<dl><dt>Cost</dt><dd>5 million</dd></dl>", around="div")

    assert "Cost: 5 million" in lines


@pytest.mark.parametrize(
    "between",
    [
        '<aside><h3>Related stories</h3><ul><li><a href="/1">A story about a bridge'
        '</a></li><li><a href="/2">Another about two bridges</a></li></ul></aside>',
        "<form><p>Sign up for our letters</p><input name=a></form>",
        "<button>Read it aloud to me</button>",
        '<div role="navigation">All of the halls</div>',
        "<aside hidden><p>Architect: Karl Dreyer</p></aside>",
    ],
)
def test_what_is_not_of_the_story_is_not_read(between: str) -> None:
    assert [one for one in lines_of(between) if one != "New hall"] == PARAGRAPHS


def test_what_stands_after_the_article_is_not_of_it() -> None:
    after = "<aside><h2>Most read</h2><p>Six injured in a warehouse fire</p></aside>"

    assert lines_of("", after=after)[-1] == PARAGRAPHS[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<div>", "<ul><li>Seats: 900 in rows</li></ul></div>"),
        ("<div><dl><dt>Seats</dt><dd>900 in rows</dd></dl>", "</div>"),
        ("<div>", "<figure><figcaption>Seats: 900 in rows</figcaption></figure></div>"),
    ],
)
def test_what_is_in_one_element_with_the_paragraphs_is_of_the_story(
    before: str, after: str
) -> None:
    story = "".join(f"<p>{one}</p>" for one in PARAGRAPHS)
    aside = "<div><ul><li>Trams: 3 new lines</li></ul></div>"
    page = f"<html><body>{aside}{before}{story}{after}{aside}</body></html>"

    found = read_html(page.encode(), content_type="text/html", url="https://a.example/")

    assert found.document is not None
    assert "Seats: 900 in rows" in found.document.text
    assert "Trams" not in found.document.text


def test_a_box_at_the_end_of_the_article_is_of_it() -> None:
    correction = "Correction: it seats 901 people."
    between = f"</article><article><footer><p>{correction}</p></footer>"

    assert correction in lines_of(between)
