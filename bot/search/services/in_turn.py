"""Several services as one search: the next is asked where one fails or finds nothing."""

from collections.abc import Sequence

from handlers.model import Finds, Query, Quota
from handlers.ports import Metered, PermanentError, Search, TemporaryError


class InTurn:
    """Fulfils `handlers.ports.Search` and `Metered` over others, the preferred one first."""

    def __init__(self, searches: Sequence[Search]) -> None:
        self._searches = tuple(searches)

    @property
    def name(self) -> str:
        """All names, in the order in which they are asked."""
        return " > ".join(search.name for search in self._searches)

    def quotas(self) -> Sequence[Quota]:
        """Return those of all services."""
        return tuple(
            quota
            for search in self._searches
            if isinstance(search, Metered)
            for quota in search.quotas()
        )

    async def search(self, query: Query, *, limit: int) -> Finds:
        """Return the answer of the first that finds something.

        What went wrong with those before it is told in the answer's troubles.

        Raises:
            TemporaryError: all failed, and one of them may not another time.
            PermanentError: all failed for good.
        """
        troubles: list[str] = []
        failed: list[PermanentError | TemporaryError] = []
        for search in self._searches:
            try:
                found = await search.search(query, limit=limit)
            except (PermanentError, TemporaryError) as error:
                failed.append(error)
                troubles.append(_told(search, error))
                continue
            troubles += found.troubles if isinstance(found, Finds) else ()
            if found:
                return Finds(tuple(found), tuple(troubles))
        if failed and len(failed) == len(self._searches):
            raise _all_of(failed, troubles)
        return Finds((), tuple(troubles))


def _told(search: Search, error: Exception) -> str:
    told = str(error)
    return told if search.name in told else f"{search.name}: {told}"


def _all_of(
    failed: Sequence[PermanentError | TemporaryError], troubles: Sequence[str]
) -> PermanentError | TemporaryError:
    waits = [error.retry_in_s for error in failed if isinstance(error, TemporaryError)]
    told = "; ".join(troubles)
    return (
        TemporaryError(told, retry_in_s=min(waits)) if waits else PermanentError(told)
    )
