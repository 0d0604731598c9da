"""Histories of a real MediaWiki."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.research.evaluation.updates.human_edits import EditHistory
from bot.wiki.address import parse_address
from bot.wiki.history import WikiHistory
from bot.wiki.human_edits import Revision
from bot.wiki.pages import NoSuchPageError
from handlers.ports import PermanentError
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.pages import CLOCK, CLOCK_FIRST, CLOCK_SECOND

pytestmark = pytest.mark.mediawiki
_CLOCK = "Harbour Clock of Eastmere"
_LONG_AGO = datetime(2001, 1, 1, tzinfo=UTC)


@pytest.fixture
def history(wiki: Wiki) -> WikiHistory:
    return WikiHistory(parse_address(wiki.host), user_agent="Sidenote tests")


def _soon() -> datetime:
    return datetime.now(UTC) + timedelta(days=1)


async def _all(history: WikiHistory, title: str, since: datetime) -> list[Revision]:
    return [one async for one in history.revisions(title, since, _soon())]


async def test_all_revisions_come_oldest_first_with_who_saved_them(
    history: WikiHistory,
) -> None:
    found = await _all(history, _CLOCK, _LONG_AGO)

    texts = [(one.text or "").strip() for one in found]
    assert texts == [CLOCK_FIRST.strip(), CLOCK_SECOND.strip(), CLOCK.strip()]
    assert all(one.note.user and one.note.saved_at > _LONG_AGO for one in found)
    assert len({one.note.revision_id for one in found}) == 3


async def test_a_later_time_begins_with_the_text_that_stood_then(
    history: WikiHistory,
) -> None:
    everything = await _all(history, _CLOCK, _LONG_AGO)

    found = await _all(history, _CLOCK, _soon())

    assert found == everything[-1:]


async def test_a_revision_of_the_very_time_comes_once(history: WikiHistory) -> None:
    everything = await _all(history, _CLOCK, _LONG_AGO)

    found = await _all(history, _CLOCK, everything[-1].note.saved_at)

    assert len({one.note.revision_id for one in found}) == len(found)
    assert everything[-1] in found


async def test_a_page_had_no_text_before_it_was_made(history: WikiHistory) -> None:
    assert await history.revision_at(_CLOCK, _LONG_AGO) is None
    now = await history.revision_at(_CLOCK, _soon())
    assert now.text is not None
    assert "Ada Penrose" in now.text


async def test_a_redirect_leads_to_the_history_of_its_page(
    history: WikiHistory,
) -> None:
    assert len(await _all(history, "Eastmere Clock", _LONG_AGO)) == 3


async def test_a_hidden_text_is_none(history: WikiHistory) -> None:
    found = await _all(history, "Locked room", _LONG_AGO)

    assert [one.text and one.text.strip() for one in found] == ["First.", None, "Last."]


async def test_the_edits_of_a_history_are_listed(history: WikiHistory) -> None:
    edit_history = EditHistory("127.0.0.1", _CLOCK, sitting=timedelta())
    for one in await _all(history, _CLOCK, _LONG_AGO):
        edit_history.add(one)

    edits = [(edit.removals, edit.insertions) for edit in edit_history.edits()]

    assert edits[0] == ((), ("The clock was built in 1847.",))
    last = "The clock was built in 1874 by Ada Penrose.", "A storm stopped it in 1911."
    assert (("The clock was built in 1847.",), last) in edits


@pytest.mark.parametrize("title", ["A page that nobody wrote", "Sunken pier"])
async def test_a_page_that_is_not_there_is_reported(
    history: WikiHistory, title: str
) -> None:
    with pytest.raises(NoSuchPageError, match=title):
        await _all(history, title, _LONG_AGO)


async def test_what_cannot_be_a_title_is_not_asked_for(history: WikiHistory) -> None:
    with pytest.raises(PermanentError, match="cannot be a title"):
        await _all(history, "a|b", _LONG_AGO)
