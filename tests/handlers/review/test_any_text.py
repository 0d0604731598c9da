"""Any text, long or hostile, is reviewed to its end and takes no longer than prose."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.model import IssueKind, Page, PageId
from handlers.page import parse
from handlers.review.review import review
from tests.handlers.review.articles import FILLER, REF, reviewed, shown_in
from tests.linear import is_linear, repeated
from tests.wikitext_bombs import BOMBS, Bomb

_ID = PageId("en.wikipedia.org", "Harbour Bridge")


def test_a_long_page_is_reviewed_to_its_end() -> None:
    doubtful = "There is often only a great view of the town. "

    last = shown_in(
        f"{doubtful * 2_500}\n\nIt is a legendary bridge that people know."
    )[-1]

    assert last.kind is IssueKind.PUFFERY
    assert last.quote.startswith("It is a legendary bridge")


def test_a_long_quotation_beside_its_source_takes_no_longer_than_prose() -> None:
    own = "It carries two lanes of the road and a line of trams between both towns and "
    words = repeated("many words of others ")
    cited = parse(f"{FILLER}{REF}", _ID).claims
    [key] = {one.key for claim in cited for one in claim.sources}

    def body(chars: int) -> str:
        return f'{own}"{words(chars)}{REF}'

    assert is_linear(body, lambda it: reviewed(it, {key: "what it says"}), 105_000)


def test_hostile_wikitext_takes_no_longer_than_prose() -> None:
    def page(bomb: Bomb, chars: int) -> Page:
        return parse(bomb(chars // 15)[:chars], PageId("en.wikipedia.org", "Bomb"))

    for name, bomb in BOMBS.items():
        assert is_linear(partial(page, bomb), review, 24_000), name


@pytest.mark.parametrize(
    "piece",
    [
        '" ',
        "' ",
        "''a ",
        "(",
        "“a ",
        "a.",
        "\ue000(",
        "the ",
        "of the most ",
        "[https://a ",
        "\n= ",
        "A B ",
        "as the said to ",
        "a (b) ",
        "many a ",
        "it is ",
    ],
)
def test_hostile_prose_takes_no_longer_than_prose(piece: str) -> None:
    prose = repeated(piece)

    def page(chars: int) -> Page:
        return parse(prose(chars), PageId("en.wikipedia.org", "Bomb"))

    assert is_linear(page, lambda it: review(it, {"a": piece * 1_000}), 60_000)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "The legendary bridge is currently closed. ",
                '"',
                "“",
                "”",
                "''",
                "'''",
                "[[",
                "]]",
                "{{lang|fr|",
                "}}",
                "<ref>",
                "</ref>",
                "\n\n",
                "== The Road ==\n",
                ":",
                "* ",
                "Unfortunately, you don't. ",
                "( ; ) ",
                "<blockquote>",
                "</blockquote>",
                "(",
                ")",
                "5'11\" ",
                "é 桥 ",
            ]
        ),
        max_size=40,
    )
)
def test_every_finding_is_in_its_place_and_its_marks_in_its_quote(
    parts: list[str],
) -> None:
    page = parse("".join(parts), PageId("en.wikipedia.org", "Bridge"))

    for one in review(page).findings:
        assert 0 <= one.span.start <= one.span.end <= len(page.wikitext)
        assert 0 <= one.confidence <= 1
        assert len(one.quote) <= 300
        assert all(0 <= m.start < m.end <= len(one.quote) for m in one.marked)
