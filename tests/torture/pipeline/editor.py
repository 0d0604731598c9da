"""Somebody who saves pages of a wiki that is busy."""

import time
from dataclasses import dataclass
from typing import Any

import requests

from tests.bot.writing.people import PASSWORD, Person

_TRIES = 30
_MOST_SINCE = "50"


@dataclass(frozen=True, slots=True)
class Saved:
    """What somebody made of a page."""

    revision: int
    user: str
    text: str


class Refused(Exception):  # noqa: N818 - it tells what happened
    """The wiki did not save an edit: another came between."""


@dataclass
class Editor(Person):
    """Somebody who saves pages, again and again while the wiki is busy."""

    token: str = ""

    @classmethod
    def named(cls, host: str, name: str) -> "Editor":
        editor = cls(host, name)
        editor.log_in(PASSWORD)
        return editor

    def save(self, title: str, text: str, **more: str) -> int:
        return self.send(title, text=text, **more)

    def send(self, title: str, **given: str) -> int:
        """Edit a page; return the revision, or 0 if nothing changed.

        Raises:
            Refused: another edit came between.
        """
        answer: dict[str, Any] = {}
        for _ in range(_TRIES):
            answer = self._try(title, given)
            code = answer.get("error", {}).get("code", "")
            if not code and answer.get("edit", {}).get("result") == "Success":
                return int(answer["edit"].get("newrevid", 0))
            if code == "editconflict":
                raise Refused(title)
            if code in {"badtoken", "assertuserfailed"}:
                self.token = ""
            time.sleep(0.2)
        raise AssertionError(f"{title} could not be saved: {answer}")

    def _try(self, title: str, given: dict[str, str]) -> dict[str, Any]:
        form = {"format": "json", "formatversion": "2"}
        try:
            if not self.token:
                tokens = self.get(action="query", meta="tokens")["query"]["tokens"]
                self.token = tokens["csrftoken"]
            sent = {**given, **form, "action": "edit", "title": title}
            answer = self.web.post(
                self._api, data={**sent, "token": self.token}, timeout=60
            )
            content: dict[str, Any] = answer.json()
        except (ValueError, AssertionError, requests.RequestException) as error:
            return {"error": {"code": "busy", "info": str(error)}}
        return content

    def read(self, title: str) -> tuple[str, str]:
        """Return the text of a page and its revision; both empty if there is none."""
        [*_, newest] = self._revisions(title) or [Saved(0, "", "")]
        return newest.text, str(newest.revision or "")

    def since(self, title: str, revision: str) -> list[Saved]:
        """Return what was made of a page after a revision, the oldest first."""
        found = self._revisions(
            title, rvstartid=revision, rvdir="newer", rvlimit=_MOST_SINCE
        )
        return [each for each in found if each.revision != int(revision)]

    def _revisions(self, title: str, **more: str) -> list[Saved]:
        for _ in range(_TRIES):
            try:
                answer = self.get(
                    action="query",
                    titles=title,
                    prop="revisions",
                    rvprop="content|ids|user",
                    rvslots="*",
                    **more,
                )
            except (ValueError, AssertionError, requests.RequestException):
                time.sleep(0.2)
                continue
            [page] = answer["query"]["pages"]
            return [
                Saved(each["revid"], each["user"], each["slots"]["main"]["content"])
                for each in page.get("revisions", ())
            ]
        raise AssertionError(f"{title} could not be read")
