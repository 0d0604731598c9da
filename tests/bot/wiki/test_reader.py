"""The reader on a real MediaWiki: pages, redirects, revisions, and titles that are none."""

import asyncio
from datetime import UTC, datetime

import pytest

from bot.wiki.reader import WikiReader
from handlers.ports import PermanentError
from tests.bot.wiki.answering_wiki import AGENT, no_proxy
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.pages import CLOCK, CLOCK_SECOND

__all__ = ["no_proxy"]

_CLOCK = "Harbour Clock of Eastmere"


@pytest.fixture
def reader(wiki: Wiki) -> WikiReader:
    return WikiReader(wiki.host, user_agent=AGENT, timeout_s=60)


@pytest.mark.mediawiki
async def test_the_current_revision_comes_with_its_identity(
    reader: WikiReader, wiki: Wiki
) -> None:
    page = await reader.page("harbour_Clock of Eastmere")

    assert page.wikitext == CLOCK.rstrip("\n")
    assert (page.id.wiki, page.id.title) == (wiki.host, _CLOCK)
    assert page.id.revision_id == wiki.revisions[_CLOCK][-1]
    assert page.id.revised_at == datetime(2024, 5, 3, 10, 20, 30, tzinfo=UTC)
    assert page.id.page_id
    assert (page.redirect_to, page.redirected_from, page.notes) == (None, None, ())


@pytest.mark.mediawiki
@pytest.mark.parametrize("title", [_CLOCK, "harbour Clock_of Eastmere ", ""])
async def test_a_pinned_revision_is_read_with_its_own_time(
    reader: WikiReader, wiki: Wiki, title: str
) -> None:
    second = wiki.revisions[_CLOCK][1]

    page = await reader.page(title, second)

    assert page.wikitext == CLOCK_SECOND.rstrip("\n")
    assert page.id.revision_id == second
    assert page.id.revised_at == datetime(2024, 5, 2, 10, 20, 30, tzinfo=UTC)


@pytest.mark.mediawiki
async def test_letters_of_every_script_survive(reader: WikiReader) -> None:
    page = await reader.page("Café Zürich 🕰")

    assert page.wikitext == "A café; “Zürich” — 東京 🕰 <ref>Menü</ref>"


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "target"),
    [
        ("Eastmere Clock", _CLOCK),
        ("Ada Penrose", f"{_CLOCK}#History"),
        ("Old clock", _CLOCK),
    ],
    ids=["redirect", "redirect to a section", "double redirect"],
)
async def test_a_redirect_is_followed_and_told(
    reader: WikiReader, title: str, target: str
) -> None:
    page = await reader.page(title)

    assert page.wikitext == CLOCK.rstrip("\n")
    assert (page.id.title, page.redirected_from, page.redirect_to) == (
        _CLOCK,
        title,
        target,
    )
    assert page.notes == (f"“{title}” redirects to “{target}”; that page was read.",)


@pytest.mark.mediawiki
async def test_a_pinned_redirect_is_read_itself(reader: WikiReader, wiki: Wiki) -> None:
    [revision] = wiki.revisions["Eastmere Clock"]

    page = await reader.page("Eastmere Clock", revision)

    assert page.wikitext == f"#REDIRECT [[{_CLOCK}]]"


@pytest.mark.mediawiki
async def test_a_revision_may_be_named_with_a_redirect_to_its_page(
    reader: WikiReader, wiki: Wiki
) -> None:
    page = await reader.page("Old clock", wiki.revisions[_CLOCK][0])

    assert (page.id.title, page.redirected_from) == (_CLOCK, "Old clock")


@pytest.mark.mediawiki
async def test_a_page_that_is_no_article_is_read_with_a_note(
    reader: WikiReader,
) -> None:
    page = await reader.page("Talk:Eastmere")

    assert page.notes == ("This is not an article but a page of the namespace “Talk”.",)


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Harbor Clock", f"has no page “Harbor Clock” .*did you mean “{_CLOCK}”"),
        ("Penrose Lame", "did you mean “Penrose Lane”"),
        ("Sunken pier", r"\(or it was deleted\)"),
        ("Qqqqq", "has no page “Qqqqq” .*check its spelling"),
        ("Lost way", "redirects to “A page that nobody wrote”, which does not exist"),
        ("Here and there", "redirects in a circle"),
        ("Own tail", "redirects in a circle"),
        ("MediaWiki:Common.js", "is javascript, not wikitext"),
        ("Special:Version", "is made by the wiki itself"),
        ("Talk:", "cannot be a title"),
        ("../etc", "cannot be a title"),
        ("de:Berlin|x", "cannot be a title"),
        ("a\x1fb", "cannot be a title"),
        ("a\ud800", "cannot be a title"),
        ("{{PAGENAME}}", "cannot be a title"),
        (" _ ", "no title was given"),
        ("#History", "cannot be a title|knows no page"),
        ("é" * 128, "is too long for a title"),
        ("'; DROP TABLE page; --", "has no page"),
        ("Google:Berlin", "leads from .* to another wiki"),
    ],
)
async def test_a_title_that_gives_no_article_is_told_with_the_remedy(
    reader: WikiReader, title: str, message: str
) -> None:
    with pytest.raises(PermanentError, match=message) as caught:
        await reader.page(title)

    assert str(caught.value).isprintable()


@pytest.mark.mediawiki
async def test_a_section_after_the_title_is_no_obstacle(reader: WikiReader) -> None:
    page = await reader.page(f"{_CLOCK}#History")

    assert page.id.title == _CLOCK


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "revision", "message"),
    [
        (_CLOCK, ("Penrose Lane", 0), "to “Penrose Lane”, not to “Harbour Clock"),
        ("Qqqqq", ("Penrose Lane", 0), "belongs to “Penrose Lane”, not to “Qqqqq”"),
        ("Locked room", ("Locked room", 1), "was hidden by"),
        ("Sunken pier", ("Sunken pier", 0), "or its page was deleted"),
    ],
    ids=["another page's", "no such page", "hidden", "deleted"],
)
async def test_a_revision_that_cannot_be_read_is_told_with_the_remedy(
    reader: WikiReader, wiki: Wiki, title: str, revision: tuple[str, int], message: str
) -> None:
    of, number = revision

    with pytest.raises(PermanentError, match=message):
        await reader.page(title, wiki.revisions[of][number])


@pytest.mark.mediawiki
async def test_a_revision_that_never_was_is_told(reader: WikiReader) -> None:
    with pytest.raises(PermanentError, match="has no revision 999999"):
        await reader.page(_CLOCK, 999_999)


@pytest.mark.mediawiki
async def test_pages_can_be_asked_for_at_the_same_time(reader: WikiReader) -> None:
    titles = [_CLOCK, "Penrose Lane", "Eastmere", "Café Zürich 🕰"]

    pages = await asyncio.gather(*map(reader.page, titles))

    assert [page.id.title for page in pages] == titles
