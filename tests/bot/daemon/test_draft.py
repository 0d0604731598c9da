"""Where there is nothing to draft from, a person is told why and what to do."""

from collections.abc import Sequence

import pytest

from bot.app.wiring.drafts import make_cast
from bot.daemon.draft import Drafter
from handlers.drafts.gather import Reach
from handlers.model import DraftMethod, SourceFetch, Topic
from handlers.ports import PermanentError, TemporaryError
from tests.fakes import FakeSources, FakeVerifier
from tests.handlers.drafts.test_gather import LISTS, WIKI, Answers, fetch

TOPIC = Topic("2024 Port Example flood")


class _Encoder:
    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        raise AssertionError(f"nothing is to be drafted of {texts} and {others}")


class _Documents:
    """A folder with the readings that the test names."""

    def __init__(self, *fetches: SourceFetch) -> None:
        self._readings = fetches

    async def fetches(self, most: int) -> tuple[tuple[SourceFetch, ...], bool]:
        return self._readings[:most], len(self._readings) > most


def _drafter(*searches: Answers, documents: _Documents | None = None) -> Drafter:
    cast = make_cast(DraftMethod.PRR, "bm25", _Encoder(), FakeVerifier({}))
    return Drafter(cast, Reach(WIKI, searches, FakeSources(()), LISTS), documents)


async def test_a_topic_that_nobody_writes_of() -> None:
    with pytest.raises(PermanentError) as caught:
        await _drafter(Answers("gdelt"), Answers("brave")).draft(TOPIC)

    assert str(caught.value).startswith(
        "no documents on “2024 Port Example flood” were found by gdelt, brave"
    )


async def test_searches_that_are_out_of_reach_can_be_asked_later() -> None:
    busy = Answers("gdelt", error=TemporaryError("busy", retry_in_s=30.0))

    with pytest.raises(TemporaryError, match="were found: gdelt: busy") as caught:
        await _drafter(busy).draft(TOPIC)

    assert caught.value.retry_in_s == 30.0


async def test_documents_that_cannot_be_read_are_counted_by_reason() -> None:
    unread = [
        fetch(f"https://a.example/{number}", detail="the server answered 404")
        for number in range(3)
    ]

    with pytest.raises(PermanentError) as caught:
        await _drafter(documents=_Documents(*unread)).draft(TOPIC)

    assert (
        "none of the 3 documents on “2024 Port Example flood” can be used (it could"
        " not be read: the server answered 404 (3))"
    ) in str(caught.value)
