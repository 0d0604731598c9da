"""Serves all search services on loopback, each below a path of its own."""

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime

from aiohttp import web

from bot.loopback.search.asked import Asked, Fault, RefusedRequest, Stand, as_json
from bot.loopback.search.faults import failing
from bot.loopback.search.services import SERVICES
from bot.loopback.search.shelf import Shelf, Shelved
from bot.loopback.served import Served

_POSTED = "serper"


class SearchServer(Served):
    """Serves what is on its shelf. Use it as an async context manager.

    Args:
        pages: that can be found.
        key: the only one that services with a key take.
        today: for spans that end today; the day in UTC without it.
    """

    def __init__(
        self,
        pages: Iterable[Shelved] = (),
        *,
        key: str = "the-right-key",
        today: date | None = None,
        port: int = 0,
    ) -> None:
        super().__init__(port=port)
        self.stand = Stand(Shelf(tuple(pages)), key, today or datetime.now(UTC).date())
        self.requests: list[Asked] = []
        self._faults: defaultdict[str, deque[Fault | None]] = defaultdict(deque)

    def address(self, service: str) -> str:
        """Return where a service is, by its name in the settings."""
        return f"{self.root}/{service}"

    @property
    def addresses(self) -> str:
        """All of them, as the setting `search_addresses` takes them."""
        return ",".join(f"{name}={self.address(name)}" for name in SERVICES)

    def fail(self, service: str, *faults: Fault | None) -> None:
        """Let a service fail so in its next answers, one after the other; `None` is well."""
        self._faults[service].extend(faults)

    def put(self, *pages: Shelved) -> None:
        """Put more pages on the shelf."""
        self.stand = replace(self.stand, shelf=Shelf((*self.stand.shelf.pages, *pages)))

    def routes(self) -> Iterable[web.AbstractRouteDef]:
        """Return what is served."""
        return (web.route("*", "/{service}", self._serve),)

    async def _serve(self, request: web.Request) -> web.Response:
        service = request.match_info["service"]
        wanted = "POST" if service == _POSTED else "GET"
        if service not in SERVICES or request.method != wanted:
            return as_json({"message": "Not Found"}, 404)
        body = await request.json() if request.can_read_body else {}
        asked = Asked(service, dict(request.query), request.headers, body)
        self.requests.append(asked)
        if "Sidenote" not in request.headers.get("User-Agent", ""):
            return as_json({"message": "Please set a user-agent"}, 403)
        faults = self._faults[service]
        if faults and (fault := faults.popleft()) is not None:
            return failing(service, fault)
        try:
            return SERVICES[service](asked, self.stand)
        except RefusedRequest as refused:
            return refused.answer
        except (ValueError, KeyError) as error:
            return as_json({"message": f"malformed: {error}"}, 400)
