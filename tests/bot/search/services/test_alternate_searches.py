"""The next service is asked where one fails or finds nothing, and that is reported."""

from collections.abc import Sequence

import pytest

from bot.search.services.service import AlternateSearches
from handlers.model import Found, Query, Quota, SearchResults
from handlers.ports import Metered, PermanentError, Search, TemporaryError
from tests.bot.search.services.tools import query

PAGE = Found("https://example.org/", "A", "a", 1.0, "B")


class Scripted:
    """A search that answers one thing."""

    def __init__(self, name: str, answer: Sequence[Found] | Exception) -> None:
        self.name = name
        self.asked = 0
        self._answer = answer

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:  # noqa: ARG002 - scripted
        self.asked += 1
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    def quotas(self) -> Sequence[Quota]:
        return (Quota(self.name, self.asked, None),)


async def test_the_first_that_finds_something_is_the_last_that_is_asked() -> None:
    busy = Scripted("A", TemporaryError("A is busy", retry_in_s=5))
    empty = Scripted("B", SearchResults((), ("B saw only March",)))
    good, spare = Scripted("C", (PAGE,)), Scripted("D", (PAGE,))

    found = await AlternateSearches([busy, empty, good, spare]).search(query(), limit=3)

    assert tuple(found) == (PAGE,)
    assert found.troubles == ("A is busy", "B saw only March")
    assert spare.asked == 0


async def test_nothing_anywhere_is_an_answer_where_one_was_asked_well() -> None:
    broken = Scripted("A", PermanentError("no key"))

    found = await AlternateSearches([broken, Scripted("B", ())]).search(
        query(), limit=3
    )

    assert found == SearchResults((), ("A: no key",))


async def test_where_all_fail_the_shortest_wait_is_reported() -> None:
    searches = [
        Scripted("A", TemporaryError("A is busy", retry_in_s=60)),
        Scripted("B", TemporaryError("B is busy", retry_in_s=9)),
        Scripted("C", PermanentError("C refuses us")),
    ]

    with pytest.raises(TemporaryError, match="A is busy; B is busy; C ref") as caught:
        await AlternateSearches(searches).search(query(), limit=3)
    assert caught.value.retry_in_s == 9


async def test_where_all_fail_for_good_trying_again_is_useless() -> None:
    with pytest.raises(PermanentError):
        await AlternateSearches([Scripted("A", PermanentError("no"))]).search(
            query(), limit=3
        )


def test_it_is_a_search_and_tells_all_quotas() -> None:
    both: Search = AlternateSearches([Scripted("A", ()), Scripted("B", ())])

    assert both.name == "A > B"
    assert isinstance(both, Metered)
    assert [quota.search for quota in both.quotas()] == ["A", "B"]
