"""Edits change what they are to change and nothing else, on any page."""

import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gadget.cards.edits import Editor, Places
from gadget.payloads.cards import Edit, EditKind
from handlers.citations.drift import with_copy
from handlers.findings import Remedy, RemedyKind
from handlers.model import Claim, Page, SourceForm, TagKind, UrlStatus, Verdict
from handlers.sources.templates import tags_of, tags_of_language
from tests.gadget.cards.pages import edited, page_of, statements
from tests.shared_data import shared_data

_DAY = date(2026, 10, 3)
_DEMO = Path(__file__).parents[3] / "bot" / "demo" / "articles"
_CITATION = "{{cite news |url=https://news.example/1 |title=The news}}"
_OTHER = Remedy(
    RemedyKind.OTHER_SOURCE, "https://news.example/1", _CITATION, "So.", 0.9
)
_COPY = "https://web.archive.org/web/20110520000000/https://a.org/"


def _editor(page: Page, language: str = "en") -> Editor:
    return Editor(Places(page), tags_of_language(language), _DAY)


def _tag(
    page: Page, claim: Claim, kind: TagKind = TagKind.FAILED_VERIFICATION
) -> Edit | None:
    return next(_editor(page).tag(claim, kind), None)


def _claim(page: Page, start: str) -> Claim:
    [found] = [claim for claim in page.claims if claim.text.startswith(start)]
    return found


# --- tags behind a citation ---------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("It rained.<ref>A b c d</ref>", " It", id="a reference"),
        pytest.param(
            "It rained.<ref>A b c d</ref><ref>E f g h</ref>", " It", id="two of them"
        ),
        pytest.param(
            "It rained.<ref>A b c d</ref>{{rp|12}}", "\n\nIt", id="with its pages"
        ),
        pytest.param("It rained.{{sfn|Smith|2001}}", " It", id="a short footnote"),
        pytest.param(
            "{{Infobox x|rain=72 miles<ref>A b c d</ref>", "|y=z}}", id="in a template"
        ),
    ],
)
def test_a_tag_stands_right_behind_the_citations(before: str, after: str) -> None:
    page = page_of(f"{before}{after}\n* {{{{cite book|last=Smith|date=2001|title=X}}}}")

    edit = _tag(page, page.claims[0])

    assert edit
    assert (edit.kind, edit.label, edit.old) == (
        EditKind.TAG,
        "Failed verification",
        "",
    )
    tag = "{{Failed verification|date=October 2026}}"
    assert edited(page, edit).startswith(f"{before}{tag}{after}")


def test_a_tag_that_stands_there_is_not_put_there_again() -> None:
    page = page_of("It rained.<ref>A b c d</ref>{{fv|date=May 2020}} It fell.")

    assert _tag(page, page.claims[0]) is None
    assert _tag(page, page.claims[0], TagKind.OUTDATED) is not None


def test_a_tag_is_taken_away_whole() -> None:
    page = page_of(
        "It rained.<ref>A b c d</ref>{{Failed verification|date=May 2020}} It fell."
    )

    [edit] = _editor(page).untag(page.claims[0], TagKind.FAILED_VERIFICATION)

    assert (edit.kind, edit.label) == (EditKind.UNTAG, "Failed verification")
    assert edited(page, edit) == "It rained.<ref>A b c d</ref> It fell."


def test_the_words_around_an_edit_grow_until_they_are_there_once() -> None:
    row = (
        "It rained for many days and nights.<ref>{{cite web|url=https://a.org/}}</ref>"
    )
    wikitext = f"== A ==\n{row}\n\n{row}\n== B ==\n{row}\n"
    page = page_of(wikitext)
    edits = [edit for claim in page.claims if (edit := _tag(page, claim))]

    assert [edit.section for edit in edits] == [1, 1, 2]
    for number, edit in enumerate(edits):
        parts = edited(page, edit).split("{{Failed verification|date=October 2026}}")
        assert parts[0].count(row) == number + 1
        assert "".join(parts) == wikitext


def test_words_that_are_never_there_once_are_not_edited() -> None:
    row = "* It rained for days.<ref>A b c d</ref>\n"
    page = page_of("* It snowed.<ref>E f g h</ref>\n" + row * 400)

    assert _tag(page, page.claims[200]) is None
    assert _tag(page, page.claims[0]) is not None


def test_a_letter_that_json_cannot_carry_is_not_edited_around() -> None:
    page = page_of("It \ud800 rained.<ref>A b c d</ref>")

    assert _tag(page, page.claims[0]) is None


# --- dead links ----------------------------------------------------------------


def _dead(page: Page, claim: Claim, language: str = "en") -> list[Edit]:
    keys = [source.key for source in claim.sources]
    return list(_editor(page, language).dead_links(claim, keys))


def test_a_dead_link_is_marked_inside_its_reference() -> None:
    page = page_of(
        "It rained.<ref>{{cite web|url=https://a.org/|title=A}}</ref> It fell.<ref"
        ' name="x">[https://b.org/ B]</ref> It rose.<ref name="x" />'
    )

    [first] = _dead(page, _claim(page, "It rained"))
    [defined] = _dead(page, _claim(page, "It fell"))
    [reused] = _dead(page, _claim(page, "It rose"))

    tag = " {{Dead link|date=October 2026}}</ref>"
    assert edited(page, first).count(f"|title=A}}}}{tag}") == 1
    assert edited(page, defined) == edited(page, reused)
    assert f"[https://b.org/ B]{tag}" in edited(page, reused)


def test_a_source_defined_in_the_list_is_marked_in_its_section() -> None:
    page = page_of(
        'It rained.<ref name="a" />\n== References ==\n<references>\n<ref name="a">'
        "{{cite web|url=https://a.org/}}</ref>\n</references>\n"
    )

    [edit] = _dead(page, page.claims[0])

    assert edit.section == 1
    assert "https://a.org/}} {{Dead link|date=October 2026}}</ref>" in edited(
        page, edit
    )


def test_a_source_that_is_known_to_be_dead_is_left_alone() -> None:
    page = page_of(
        "It rained.<ref>{{cite web|url=https://a.org/|archive-url=https://b.org/}}</ref>"
        " It fell.<ref>{{cite web|url=https://c.org/|url-status=dead}}</ref>"
        " It rose.<ref>[https://d.org/ D] {{dead link}}</ref>"
    )

    assert [_dead(page, claim) for claim in page.claims] == [[], [], []]
    assert all(claim.sources for claim in page.claims)


def test_a_citation_that_stands_there_twice_is_not_guessed_at() -> None:
    cited = "{{cite web|url=https://a.org/}}"
    listed = f'<ref name="a">{cited}</ref>'
    page = page_of(
        f'It rained.<ref name="a" />\n<references>\n{listed}<!-- {cited} -->'
        "\n</references>"
    )

    assert _dead(page, page.claims[0]) == []


def test_a_german_tag_names_the_address_and_stands_behind_links_only() -> None:
    page = page_of(
        "Es regnete.<ref>[https://a.org/x|y A]</ref> Es fiel.<ref>{{Internetquelle"
        "|url=https://b.org/|titel=B}}</ref>"
    )

    [link], template = (_dead(page, claim, "de") for claim in page.claims)

    assert template == []
    assert link.new == " {{Toter Link|url=https://a.org/x%7Cy|date=2026-10-03}}"


def test_a_wiki_whose_tags_are_not_known_gets_none() -> None:
    page = page_of("It rained.<ref>{{cite web|url=https://a.org/}}</ref>")

    assert _dead(page, page.claims[0], "xx") == []
    assert not tags_of("en.example.org")
    assert not tags_of("127.0.0.1:8180")
    assert tags_of("en.m.wikipedia.org") == tags_of("en.wikipedia.org")
    assert list(tags_of("ar.wikipedia.org")) == [TagKind.DEAD_LINK]


# --- what mends a citation -----------------------------------------------------


def _mend(page: Page, claim: Claim, remedy: Remedy, verdict: Verdict) -> Edit | None:
    return _editor(page).mend(claim, verdict, [remedy]).get(0)


def _copied(citation: str) -> Remedy:
    return Remedy(RemedyKind.ARCHIVED_COPY, _COPY, citation, "So.", 0.9)


_FILLED = (
    "{{cite web |url=https://a.org/ |title=A"
    f" |archive-url={_COPY} |archive-date=2011-05-20 |url-status=deviated}}}}"
)


def test_an_archived_copy_is_filled_into_the_citation_as_it_stands_now() -> None:
    now = "{{cite web|url=https://a.org/|title=A new title|access-date=2011-05-19}}"
    page = page_of(f'It rained.<ref name="x">{now}</ref> It fell.<ref name="x" />')

    edit = _mend(page, page.claims[1], _copied(_FILLED), Verdict.NOT_SUPPORTED)

    assert edit
    assert (edit.kind, edit.label, edit.old) == (EditKind.ARCHIVE, "A new title", now)
    assert edit.new == now[:-2] + (
        f"|archive-url={_COPY}|archive-date=2011-05-20|url-status=deviated}}}}"
    )
    source = page_of(edited(page, edit)).claims[0].sources[0]
    assert (source.archive_url, source.url_status) == (_COPY, UrlStatus.DEVIATED)


@pytest.mark.parametrize(
    ("body", "offered"),
    [
        pytest.param("[https://a.org/ A]", True, id="a link alone"),
        pytest.param("https://a.org/", True, id="an address alone"),
        pytest.param("Smith, [https://a.org/ A], 2011", False, id="words beside it"),
        pytest.param("{{Internetquelle|url=https://a.org/}}", False, id="not English"),
        pytest.param(_FILLED, False, id="filled already"),
        pytest.param("{{cite web|url=https://b.org/}}", False, id="another source"),
    ],
)
def test_an_archived_copy_replaces_what_it_is_a_copy_of(
    body: str, offered: bool
) -> None:
    page = page_of(f"It rained.<ref>{body}</ref>")

    edit = _mend(page, page.claims[0], _copied(_FILLED), Verdict.NOT_SUPPORTED)

    assert (edit is not None) == offered
    if edit:
        assert edited(page, edit) == f"It rained.<ref>{_FILLED}</ref>"


@pytest.mark.parametrize(
    ("wikitext", "verdict", "after"),
    [
        pytest.param(
            "It rained.<ref>[https://a.org/ A]</ref>",
            Verdict.NOT_SUPPORTED,
            f"It rained.<ref>{_CITATION}</ref>",
            id="in the place of the only one",
        ),
        pytest.param(
            "It rained.<ref>[https://a.org/ A]</ref>",
            Verdict.PARTIALLY_SUPPORTED,
            f"It rained.<ref>[https://a.org/ A]</ref><ref>{_CITATION}</ref>",
            id="beside one that says a part",
        ),
        pytest.param(
            "It rained.<ref>[https://a.org/ A]</ref>",
            Verdict.CONTRADICTED,
            f"It rained.<ref>[https://a.org/ A]</ref><ref>{_CITATION}</ref>",
            id="beside one that says otherwise",
        ),
        pytest.param(
            'It rained.<ref name="a">[https://a.org/ A]</ref>',
            Verdict.NOT_SUPPORTED,
            f'It rained.<ref name="a">[https://a.org/ A]</ref><ref>{_CITATION}</ref>',
            id="beside one that others may use",
        ),
        pytest.param(
            "It rained.<ref>Smith, p. 3. [https://a.org/ A]</ref>",
            Verdict.NOT_SUPPORTED,
            "It rained.<ref>Smith, p. 3. [https://a.org/ A]</ref>"
            f"<ref>{_CITATION}</ref>",
            id="beside one with words of its own",
        ),
        pytest.param(
            "It rained.<ref>[https://a.org/ A]</ref><ref>[https://b.org/ B]</ref>",
            Verdict.NOT_SUPPORTED,
            "It rained.<ref>[https://a.org/ A]</ref><ref>[https://b.org/ B]</ref>"
            f"<ref>{_CITATION}</ref>",
            id="beside two",
        ),
    ],
)
def test_another_source_is_cited(wikitext: str, verdict: Verdict, after: str) -> None:
    page = page_of(wikitext)

    edit = _mend(page, page.claims[0], _OTHER, verdict)

    assert edit
    assert (edit.kind, edit.label) == (EditKind.CITE, "The news")
    assert edited(page, edit) == after


def test_a_remedy_without_a_citation_is_no_edit() -> None:
    page = page_of("It rained.<ref>[https://a.org/ A]</ref>")
    bare = Remedy(RemedyKind.OTHER_SOURCE, "https://b.org/", None, "So.", 0.9)

    assert _mend(page, page.claims[0], bare, Verdict.NOT_SUPPORTED) is None


# --- on any page ----------------------------------------------------------------


def _articles() -> Iterator[str]:
    for path in sorted(_DEMO.glob("*.wikitext")):
        yield path.read_text("utf-8")


def _shared_articles() -> list[str]:
    folder = shared_data("wikitext_articles") / "text"
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.read_text("utf-8") for path in files]


def _check_tag(page: Page, claim: Claim) -> None:
    edit = _tag(page, claim)
    if edit is None:
        return
    after = page_of(edited(page, edit))
    assert statements(after.claims) == statements(page.claims)
    same = [one for one in after.claims if statements((one,)) == statements((claim,))]
    assert any(
        tag.kind is TagKind.FAILED_VERIFICATION for one in same for tag in one.tags
    )


def _check_cite(page: Page, claim: Claim, verdict: Verdict) -> None:
    edit = _mend(page, claim, _OTHER, verdict)
    if edit is None:
        return
    now, then = (
        statements(tuple(one for one in each.claims if not one.sentences_before))
        for each in (page_of(edited(page, edit)), page)
    )
    new, old = now - then, then - now
    [((words, sources), _)] = new.items()
    assert words == claim.text
    assert "https://news.example/1" in sources
    assert sum(old.values()) == 1


def _check_dead(page: Page, claim: Claim) -> None:
    for edit in _dead(page, claim)[:1]:
        after = page_of(edited(page, edit))
        assert statements(after.claims) == statements(page.claims)
        tag = " {{Dead link|date=October 2026}}"
        assert any(f"{source.raw}{tag}" in after.wikitext for source in claim.sources)


def _check_copy(page: Page, claim: Claim) -> None:
    for source in claim.sources:
        if source.form is not SourceForm.TEMPLATE or not source.url:
            continue
        filled = with_copy(source, _FILLED)
        if filled is None:
            continue
        edit = _mend(page, claim, _copied(filled), Verdict.NOT_SUPPORTED)
        if edit is None:
            continue
        assert edit.new == filled
        after = page_of(edited(page, edit))
        assert statements(after.claims) == statements(page.claims)
        copied = {
            one.key
            for each in after.claims
            for one in each.sources
            if one.archive_url == _COPY
        }
        assert source.key in copied
        return


def _check_some(wikitext: str, chance: random.Random) -> int:
    page = page_of(wikitext)
    cited = [claim for claim in page.claims if claim.citations]
    if not cited:
        return 0
    _check_tag(page, chance.choice(cited))
    _check_cite(page, chance.choice(cited), chance.choice(list(Verdict)))
    _check_dead(page, chance.choice(cited))
    _check_copy(page, chance.choice(cited))
    return 4


@pytest.mark.parametrize("seed", range(5))
def test_the_shipped_articles_can_be_edited(seed: int) -> None:
    chance = random.Random(seed)

    assert sum(_check_some(wikitext, chance) for wikitext in _articles()) == 16


@pytest.mark.shared_data
def test_real_articles_can_be_edited() -> None:
    chance = random.Random(1)
    some = chance.sample(_shared_articles(), 40)

    assert sum(_check_some(wikitext, chance) for wikitext in some) > 100


_PARTS = st.sampled_from(
    [
        "It rained.<ref>A b c d</ref>",
        "It rained.<ref>A b c d</ref>{{rp|3}} ",
        'It fell.<ref name="n" /> ',
        'It fell.<ref name="n">{{cite web|url=https://a.org/}}</ref>',
        "\n== A ==\n",
        "\n=== B ===\n",
        "\n{{box|\n== C ==\n}}\n",
        "<!--\n== D ==\n-->",
        "\n{|\n| x || <ref>A b c d</ref>\n|}\n",
        "\n* It rose.{{sfn|Smith|2001}}\n",
        "🌪 é ",
        "\n\n",
    ]
)


@settings(max_examples=150)
@given(parts=st.lists(_PARTS, max_size=25))
def test_an_edit_puts_in_its_words_and_changes_no_other(parts: list[str]) -> None:
    page = page_of("".join(parts))
    editor = _editor(page)
    for claim in page.claims:
        for edit in (*editor.tag(claim, TagKind.OUTDATED), *_dead(page, claim)):
            whole = edited(page, edit)
            before, new, after = whole.partition(edit.new)
            assert new
            assert before + after == page.wikitext or whole.count(edit.new) > 1
            assert len(whole) == len(page.wikitext) + len(edit.new)
