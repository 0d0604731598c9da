"""Lists of pages that people keep at PetScan and PagePile, by their numbers.

A list names its wiki; a list for another wiki is rejected, since its titles mean other
pages here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.search.services.client import Request, SearchClient, failure_of
from handlers.ports import PermanentError

_MAX_BYTES = 16 * 1024 * 1024
_TIMEOUT_S = 120.0  # PetScan runs a query when it is requested
_HOST = re.compile(r"([a-z-]+)\.(?:m\.)?(wiki[a-z]+)\.org", re.ASCII)
_SUFFIXES = {"wikipedia": "wiki"}  # of database names; other projects go by their own


class NoSuchListError(PermanentError):
    """There is no list of that number, or it is for another wiki."""


@dataclass(frozen=True, slots=True)
class PageLists:
    """Asks PetScan and PagePile at these addresses."""

    petscan_address: str
    pagepile_address: str
    user_agent: str

    async def petscan(self, wiki: str, number: str) -> tuple[str, ...]:
        """Return the titles that a saved query finds on a wiki.

        Raises:
            NoSuchListError: there is none, or it is for another wiki.
            PermanentError: PetScan refuses us, or its answer is invalid.
            TemporaryError: it cannot be reached, or is busy.
        """
        parameters = {
            "psid": number,
            "format": "json",
            "output_compatability": "quick-intersection",
        }
        found = await self._list("PetScan", self.petscan_address, parameters)
        pages = found.get("pages")
        if not isinstance(pages, list):
            raise NoSuchListError(f"PetScan has no query {number}")
        _check_wiki("PetScan", number, found.get("wiki"), wiki)
        spaces = found.get("namespaces")
        names = spaces if isinstance(spaces, dict) else {}
        return tuple(title for one in pages if (title := _title(one, names)))

    async def pagepile(self, wiki: str, number: str) -> tuple[str, ...]:
        """Return the titles of a pile; raises as `petscan` does."""
        parameters = {"id": number, "action": "get_data", "doit": "", "format": "json"}
        found = await self._list("PagePile", self.pagepile_address, parameters)
        pages = found.get("pages")
        if not isinstance(pages, list):
            raise NoSuchListError(f"PagePile has no pile {number}")
        _check_wiki("PagePile", number, found.get("wiki"), wiki)
        return tuple(_shown(one) for one in pages if isinstance(one, str))

    async def _list(
        self, name: str, address: str, parameters: Mapping[str, str]
    ) -> dict[str, Any]:
        if not address:
            raise PermanentError(f"the bot's operator has not enabled {name}")
        request = Request(address, parameters, max_bytes=_MAX_BYTES)
        async with SearchClient(self.user_agent, timeout_s=_TIMEOUT_S) as client:
            answer = await client.ask(name, request)
        failure = failure_of(name, answer, remedy="check whether the list opens there")
        if failure is not None:
            raise failure
        found = answer.json
        if not isinstance(found, dict):
            raise NoSuchListError(f"{name} has no such list")
        return found


def _check_wiki(name: str, number: str, of: object, wiki: str) -> None:
    """Reject a list that says it is for another wiki."""
    host = _HOST.fullmatch(wiki.lower())
    if not host or not isinstance(of, str) or not of:
        return
    code, project = host[1].replace("-", "_"), host[2]
    if of != f"{code}{_SUFFIXES.get(project, project)}":
        raise NoSuchListError(f"{name} {number} is a list of {of[:40]}")


def _title(one: object, names: Mapping[str, object]) -> str:
    """Return the title of a PetScan entry, which gives the namespace by number."""
    if isinstance(one, str):
        return _shown(one)
    if not isinstance(one, dict) or not isinstance(one.get("page_title"), str):
        return ""
    prefix = names.get(str(one.get("page_namespace", 0)), "")
    title = _shown(one["page_title"])
    return f"{prefix}:{title}" if prefix else title


def _shown(title: str) -> str:
    return " ".join(title.replace("_", " ").split())
