"""Asks the Wayback Machine to keep a copy of a page: Save Page Now, version 2.

It accepts the address, and makes the copy later. If it has a copy less than a year old,
it makes none.
"""

from dataclasses import dataclass, field
from http import HTTPStatus

import aiohttp

from handlers.ports import PermanentError, TemporaryError

_TIMEOUT_S = 60.0
_AGAIN_S = 600.0
_NOT_WITHIN = "365d"


@dataclass(frozen=True, slots=True)
class SavePageNow:
    """The service at `address`; `keys` are an account's, with a colon between."""

    address: str
    keys: str = field(repr=False)
    user_agent: str

    async def ask(self, url: str) -> bool:
        """Ask for a copy of `url`; `False` if the archive refuses that page.

        Raises:
            PermanentError: the keys are wrong.
            TemporaryError: the archive is unavailable, or was asked too often.
        """
        headers = {
            "Accept": "application/json",
            "Authorization": f"LOW {self.keys}",
            "User-Agent": self.user_agent,
        }
        body = {"url": url, "if_not_archived_within": _NOT_WITHIN}
        try:
            async with (
                aiohttp.ClientSession(
                    timeout=aiohttp.ClientTimeout(total=_TIMEOUT_S)
                ) as session,
                session.post(
                    self.address, data=body, headers=headers, allow_redirects=False
                ) as answer,
            ):
                status = answer.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            why = f"the archive cannot be reached ({type(error).__name__})"
            raise TemporaryError(why, retry_in_s=_AGAIN_S) from None
        if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
            raise PermanentError(
                f"the archive does not accept `save_page_keys` ({status}); copy them"
                " again from the account's page of keys"
            )
        is_away = status >= HTTPStatus.INTERNAL_SERVER_ERROR
        if is_away or status == HTTPStatus.TOO_MANY_REQUESTS:
            raise TemporaryError(f"the archive answered {status}", retry_in_s=_AGAIN_S)
        return status == HTTPStatus.OK
