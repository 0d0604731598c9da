"""Whatever is done to a page: no reference, template or link is lost, or it is refused."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.model import Span
from handlers.page.markup import Kind
from handlers.page.references import find_references
from handlers.page.scan import scan
from handlers.updates.guard import Change, applied, harm, in_order, is_plain
from tests.handlers.updates.bridge import WIKITEXT
from tests.shared_data import shared_data

_REF = "<ref>{{cite web |url=https://news.example/a=b |title=A}}</ref>"
_KEPT = frozenset(
    {Kind.REF, Kind.REF_REUSE, Kind.TEMPLATE, Kind.LINK, Kind.EXTERNAL_LINK}
)
_TORN = """A sentence. Another ''sentence'' of many words, [[with|a link]]. And one more.
* A {{template|with=[https://a.example words]}} <!-- and a comment --> and R&D; '''end'''
{| class="wikitable"
| one || two<ref>{{cite book|title=B}}</ref>
|}
== Heading ==
https://bare.example/a b <nowiki>[[no]]</nowiki> {{open <gallery>
File:A.jpg|A ''caption''.
</gallery> More words.<ref>An open one. <ref name=x> And more words."""
_FRAGMENTS = st.one_of(
    st.sampled_from(
        ["<ref>", "</ref>", "{{", "}}", "[[", "]]", "|", "=", "''", "\n", "* ", "<!--"]
    ),
    st.text(alphabet="ab ,.'1[]{}<>|=&;\n", max_size=6),
)


def _held(wikitext: str) -> Counter[str]:
    """Return what may not be lost, by its own wikitext where nothing holds it."""
    return Counter(
        wikitext[one.start : one.end]
        for one in scan(wikitext).elements
        if one.kind in _KEPT and one.parent < 0
    )


def _bare_places(text: str) -> list[int]:
    """Return the places between words that no markup is around, most of the time."""
    inside = {at for one in scan(text).elements for at in range(one.start, one.end)}
    return [at for at, sign in enumerate(text) if sign == " " and at not in inside]


@st.composite
def _changes(draw: st.DrawFn, text: str) -> tuple[Change, ...]:
    """Draw changes, half of them between words, for else hardly one is let through."""
    place = st.one_of(st.sampled_from(_bare_places(text)), st.integers(0, len(text)))
    made = []
    at = 0
    for start in sorted(draw(st.lists(place, max_size=3))):
        length = draw(st.sampled_from([0, 0, 3, 9, 40]))
        if start < at or start + length > len(text):
            continue
        words = draw(st.one_of(st.sampled_from(["", " said so"]), _FRAGMENTS))
        markup = draw(st.sampled_from(["", _REF, "{{Update inline|date=May 2026}}"]))
        made.append(Change(Span(start, start + length), words, markup))
        at = start + length
    return in_order(made)


@pytest.mark.parametrize("text", [WIKITEXT, _TORN], ids=["tidy", "torn"])
@given(data=st.data())
def test_no_change_that_is_let_through_loses_anything(
    text: str, data: st.DataObject
) -> None:
    changes = data.draw(_changes(text))
    after = applied(text, changes)
    if harm(text, changes):
        return
    came = [one.markup for one in changes if one.markup]

    # A template or a table that holds a change is another text, but all of its
    # kind are still there.
    for one, count in _held(text).items():
        if not _changed_inside(text, one, changes):
            assert _held(after)[one] >= count, one
    old, new = (find_references(scan(one)).markers for one in (text, after))
    refs = sum(one.count("<ref>") for one in came)
    assert len(new) == len(old) + refs
    assert Counter(_kinds(after)) - Counter(_kinds(text)) == Counter(
        _kinds("".join(came))
    )
    assert not Counter(_kinds(text)) - Counter(_kinds(after))
    assert after.count("\n") == text.count("\n")


def _changed_inside(text: str, piece: str, changes: tuple[Change, ...]) -> bool:
    at = text.find(piece)
    return any(at < one.span.start < at + len(piece) for one in changes)


def _kinds(wikitext: str) -> list[tuple[Kind, str]]:
    return [(one.kind, one.name) for one in scan(wikitext).elements]


@given(st.text())
@example("a reference")
def test_an_insertion_that_is_let_through_stands_in_the_page_as_it_is(
    words: str,
) -> None:
    at = WIKITEXT.index(" It has 3")
    change = Change(Span(at, at), words)

    if not harm(WIKITEXT, (change,)):
        assert is_plain(words)
        assert _held(applied(WIKITEXT, (change,))) == _held(WIKITEXT)


@pytest.mark.parametrize(
    ("old", "words", "reason"),
    [
        pytest.param("road bridge", "ford", "link", id="inside a link"),
        pytest.param("count", "counted", "ref", id="a name of a footnote"),
        pytest.param("{{rp|12}}", "", "markup", id="a page number"),
        pytest.param("3&nbsp;towers", "3 towers", "markup", id="an entity"),
        pytest.param("'''Harbour", "Harbour", "markup", id="bold"),
        pytest.param("1950\n", "1950 ", "markup", id="the end of a line"),
        pytest.param(
            " cars a day", " cars [[a]] day", "markup", id="a link that comes"
        ),
        pytest.param(" cars a day", " cars\u202ea day", "markup", id="reversed text"),
        pytest.param("A toll", "* toll", "adjacent", id="the beginning of an item"),
    ],
)
def test_words_of_markup_may_neither_go_nor_come(
    old: str, words: str, reason: str
) -> None:
    start = WIKITEXT.index(old)

    reasons = harm(WIKITEXT, (Change(Span(start, start + len(old)), words),))

    assert reasons
    assert reason in " ".join(reasons)


@pytest.mark.parametrize(
    ("before", "reason"),
    [("{| class", "table"), ("\n* A toll", "heading"), ("ridge\n| name", "inside")],
)
def test_words_may_not_come_where_they_unmake_what_is_beside_them(
    before: str, reason: str
) -> None:
    text = WIKITEXT.replace("== History ==\nIt was opened", "== History ==\n* A toll\n")
    at = text.index(before)

    assert reason in "; ".join(harm(text, (Change(Span(at, at), " words"),)))


def test_a_footnote_behind_a_broken_one_is_refused() -> None:
    text = "One.<ref>Broken off. Two is said here."

    assert harm(text, (Change(Span(len(text), len(text)), markup=_REF),))
    assert not harm(text, (Change(Span(4, 4), markup=_REF),))


def test_a_footnote_does_not_come_between_another_and_its_page() -> None:
    at = WIKITEXT.index("{{rp")

    assert harm(WIKITEXT, (Change(Span(at, at), markup=_REF),))
    assert not harm(WIKITEXT, (Change(Span(at + 9, at + 9), markup=_REF),))


@pytest.mark.shared_data
def test_words_that_are_cut_at_random_from_real_articles_never_take_markup() -> None:
    """Every 29th place of some real pages: ten letters go, or a citation comes."""
    index = sorted(shared_data("wikitext_articles/text").iterdir())[::60]
    for path in index:
        text = path.read_text("utf-8")[:12_000]
        before = Counter(_kinds(text))
        for at in range(0, len(text) - 10, 997):
            for change in (
                Change(Span(at, at + 10), "words"),
                Change(Span(at, at), " words", _REF),
            ):
                if not harm(text, (change,)):
                    after = Counter(_kinds(applied(text, (change,))))
                    assert not before - after
                    assert after - before == Counter(_kinds(change.markup))
