"""The report's page, and the page of a dry run."""

from dataclasses import replace
from datetime import UTC, datetime
from difflib import ndiff
from functools import cache

import mwparserfromhell
from hypothesis import given, settings
from hypothesis import strategies as st
from mwparserfromhell.wikicode import Wikicode

from bot.records.watches import Policy
from bot.surfaces import report_page
from bot.surfaces.note import addresses, marks_in
from bot.surfaces.planning.own_pages import (
    DRY_RUN_BLOCK,
    MOST_POSTS,
    ShownPost,
    shown_posts,
)
from bot.surfaces.report_page import ReportFacts, reported, taken_away
from bot.wiki import blocks
from bot.wiki.escaping import one_line
from handlers.model import PageId
from handlers.page.markup import Kind
from handlers.page.scan import scan
from tests.bot.surfaces.makers import REPORT, hostile, name, note
from tests.bot.wiki.markup.corpora import hostile_texts
from tests.bot.wiki.markup.makers import KEYS

PAGE = "My own words.\n"


def with_facts(**changes: object) -> ReportFacts:
    return replace(REPORT, **changes)  # type: ignore[arg-type]  # fields by name


def test_a_report_reads_well_as_wikitext() -> None:
    text = report_page.report([note()], REPORT, KEYS)

    assert "1 note as of 2026-11-21 20:00 UTC." in text
    assert "== [[:Oslo|Oslo]] ==" in text
    assert "'''Not supported by the source.''' Section “Early years”." in text
    assert "*: The article says: “Claim 1 is made here.”" in text
    assert "*: The source says: “Quote 1 stands there.” (" in text
    assert "[[:Special:PermanentLink/1234567|1234567]]" in text
    assert "lexical 1.0" in text


def test_details_are_folded_away() -> None:
    text = report_page.report([note()], REPORT, KEYS)

    assert text.count('<div class="mw-collapsible mw-collapsed"') == 1
    assert text.count("<div") == text.count("</div>") == 2


def test_an_address_is_a_link_only_where_the_wiki_lets_it_through() -> None:
    url = "https://news.example/a"

    assert f"[{url} news&#46;example]" not in report_page.report([note()], REPORT, KEYS)
    facts = with_facts(linkable=addresses([note()]))
    assert f"[{url} news&#46;example]" in report_page.report([note()], facts, KEYS)


def test_an_edit_changes_no_line_of_a_note_that_says_the_same() -> None:
    later = PageId("en.wikipedia.org", "Oslo", 1, 1_234_999)  # checked again since
    old = [note(1), note(2), note(3, page=PageId("en.wikipedia.org", "Bergen"))]
    new = [
        note(1, page=later),
        note(2, page=later, text="Claim 2 was reworded."),
        note(4, page=later),
        old[2],
    ]
    before = reported(PAGE, old, REPORT, KEYS)

    after = reported(before.text, new, with_facts(), KEYS, own=before.content)

    lines = ndiff(before.text.splitlines(), after.text.splitlines())
    gone = [line[2:] for line in lines if line.startswith("- ")]
    assert [line[:23] for line in gone] == [
        "<!-- sidenote begin rep",
        "'''Sidenote''' compares",  # how many there are
        "*: The article says: “C",
        '*: <div class="mw-colla',  # of the note whose claim changed
    ]
    assert "“Claim 2 is" in gone[2]
    assert after.text.count("1234567") == 2
    assert after.text.count("1234999") == 4


def test_each_article_has_one_heading() -> None:
    bergen = note(3, page=PageId("en.wikipedia.org", "Bergen"))

    text = report_page.report([note(1), note(2), bergen], REPORT, KEYS)

    assert text.count("\n== ") == 2
    assert marks_in(text, KEYS) == (name(1), name(2), name(3))


def test_an_empty_report_says_so() -> None:
    assert "There are no notes as of" in report_page.report([], REPORT, KEYS)


def test_no_models_words_are_shown_where_the_policy_is_to_point() -> None:
    one = note(fact="A fact.", wording="A wording.")

    pointing = report_page.report([one], REPORT, KEYS)
    facts = report_page.report([one], with_facts(policy=Policy.FACTS), KEYS)
    wording = report_page.report([one], with_facts(policy=Policy.WORDING), KEYS)

    assert ("A fact." in pointing, "A wording." in pointing) == (False, False)
    assert ("A fact." in facts, "A wording." in facts) == (True, False)
    assert ("A fact." in wording, "A wording." in wording) == (True, True)


def test_a_citation_is_shown_to_be_copied_not_called() -> None:
    text = report_page.report([note(citation="{{cite web |url=x}}")], REPORT, KEYS)

    assert not mwparserfromhell.parse(text).filter_templates()
    assert "&#123;&#123;cite web" in text


def test_notes_beyond_the_limit_wait() -> None:
    notes = [note(number) for number in range(report_page.MOST_NOTES + 2)]

    text = report_page.report(notes, with_facts(waiting=3), KEYS)

    assert len(marks_in(text, KEYS)) == report_page.MOST_NOTES
    assert "5 more notes will follow" in text


def test_a_report_is_rewritten_between_its_markers() -> None:
    first = reported(PAGE, [note(1), note(2)], REPORT, KEYS)
    page = f"{first.text}Words below."

    second = reported(page, [note(2)], REPORT, KEYS, own=first.content)

    assert second.text.startswith(PAGE)
    assert second.text.endswith("Words below.")
    assert marks_in(second.text, KEYS) == (name(2),)


def test_a_reply_inside_the_report_is_kept() -> None:
    first = reported(PAGE, [note(1)], REPORT, KEYS)
    reply = "*:: I have looked, it is fine. Alice"
    page = first.text.replace(
        "Claim 1 is made here.”", f"Claim 1 is made here.”\n{reply}"
    )

    second = reported(page, [], REPORT, KEYS, own=first.content)

    assert reply in second.text
    assert marks_in(second.text, KEYS) == ()


def test_what_a_person_takes_away_is_noticed() -> None:
    first = reported(PAGE, [note(1), note(2)], REPORT, KEYS)
    assert first.content is not None
    lines = [line for line in first.text.split("\n") if name(1) not in line]

    assert taken_away(first.text, first.content, KEYS) == frozenset()
    assert taken_away("\n".join(lines), first.content, KEYS) == {name(1)}
    assert taken_away(PAGE, first.content, KEYS) == {name(1), name(2)}


def test_a_report_whose_date_alone_would_change_is_left_alone() -> None:
    first = reported(PAGE, [note(1)], REPORT, KEYS)
    assert first.content is not None

    assert report_page.is_unchanged(first.text, first.content, [note(1)], KEYS)
    assert not report_page.is_unchanged(first.text, first.content, [], KEYS)
    assert not report_page.is_unchanged(PAGE, first.content, [note(1)], KEYS)


def assert_harmless(raw: str) -> None:
    for linkable in ((), (hostile(raw), hostile("x"))):
        facts = with_facts(policy=Policy.WORDING, linkable=addresses(linkable))
        shown = report_page.report([hostile(raw)], facts, KEYS)
        if raw.strip():
            found = mwparserfromhell.parse(shown)
            assert _markup(found) == _own_markup(is_linked=bool(linkable))
            assert not found.filter_templates()
            assert not found.filter_arguments()
            for link in found.filter_wikilinks():
                assert str(link.title).startswith(":")
            assert "~~~" not in shown


def _markup(found: Wikicode) -> tuple[list[str], list[str], int]:
    tags = [str(each.tag) for each in found.filter_tags()]
    comments = [str(each) for each in found.filter_comments()]
    return tags, comments, len(found.filter_headings())


@cache
def _own_markup(*, is_linked: bool) -> tuple[list[str], list[str], int]:
    linkable = addresses([hostile("x")] if is_linked else [])
    facts = with_facts(policy=Policy.WORDING, linkable=linkable)
    return _markup(
        mwparserfromhell.parse(report_page.report([hostile("x")], facts, KEYS))
    )


def test_nothing_hostile_becomes_markup() -> None:
    for raw in hostile_texts()[::41]:
        if len(raw) < 300 and _is_shown(raw):
            assert_harmless(raw)


@settings(deadline=None, max_examples=30)
@given(st.text("[]{}<>|=*#:;'~_&/!-\n x\"", min_size=1, max_size=40))
def test_no_mixture_of_signs_becomes_markup(raw: str) -> None:
    if _is_shown(raw):
        assert_harmless(raw)


def _is_shown(raw: str) -> bool:
    """Tell whether something is left to show; a field without anything is left out."""
    return bool(one_line(raw))


_AT = datetime(2026, 11, 21, 12, 5, tzinfo=UTC)
_POST = ShownPost("", "Talk:Lantern", "talk", _AT, "Notice", "", "== Note ==\nWords")


def _text(*posts: ShownPost, page: str = "", own: str | None = None) -> str:
    return shown_posts(page, posts, KEYS, own=own).text


def test_it_says_what_would_have_been_posted_where_and_when() -> None:
    held = replace(_POST, title="User:Ada/Report", held_back="the task is stopped")
    text = _text(held, _POST)

    assert text.index("[[:User:Ada/Report|") < text.index("[[:Talk:Lantern|")
    assert "2026-11-21 12:05 UTC: “Notice” '''Held back:''' the task is stopped" in text
    assert text.count("Held back") == 1
    assert "&#61;&#61; Note &#61;&#61;\nWords\n</pre>" in text


def test_it_is_bounded() -> None:
    posts = [replace(_POST, title=f"Talk:{one}", text="{" * 9_999) for one in range(50)]
    text = _text(*posts)

    assert text.count("<pre ") == MOST_POSTS
    assert f"[[:Talk:{MOST_POSTS - 1}|" in text
    assert text.count("&#123;") == MOST_POSTS * 3_000
    assert text.count("…") == MOST_POSTS


def test_a_page_of_another_wiki_is_named_and_not_linked() -> None:
    text = _text(replace(_POST, wiki="de.wikipedia.org", title="Diskussion:Uhr"))
    assert "[[" not in text
    assert "Diskussion&#58;Uhr" in text


def test_what_people_wrote_around_it_stays() -> None:
    first = shown_posts("Mine above.\n", [_POST], KEYS)
    page = f"{first.text}Mine below.\n"
    again = _text(replace(_POST, text="Other"), page=page, own=first.content)

    assert again.startswith("Mine above.\n<!--")
    assert again.endswith("-->\nMine below.\n")
    assert "Words" not in again


_PIECES = [
    "</pre>",
    "<pre>",
    "{{",
    "}}",
    "[[Category:",
    "]]",
    "~",
    "~~~",
    "<!--",
    "-->",
]
_PIECES += [
    "<nowiki>",
    "</nowiki>",
    "<ref>",
    "\n",
    "\n== ",
    "&#60;",
    "-{",
    "__TOC__",
    "x ",
]
_PIECES += ["<!-- sidenote end dryrun -->", "<!-- sidenote begin dryrun -->", "é", " "]


@given(st.lists(st.sampled_from(_PIECES), max_size=20).map("".join))
def test_no_text_gets_out_of_its_frame(words: str) -> None:
    hostile = replace(_POST, text=words, summary=words, held_back=words, task=words)
    text = _text(hostile, _POST)

    block = blocks.find(text, DRY_RUN_BLOCK, KEYS).block
    assert text[block.end :] == "\n"
    assert text.count("<pre ") == text.count("</pre>") == 2
    for sign in ("~~~", "{{", "}}", "[[Category", "__TOC__", "-{", "<ref"):
        assert sign not in text
    comments = [one for one in scan(text).elements if one.kind is Kind.COMMENT]
    assert len(comments) == 2
