"""The gate of a deployment: the gadget's own pages, by exact names, and no others.

It is not part of the bot: a person runs a command, with an account of their own that
may edit a wiki's interface. The gate of posts never writes here, and this one never
writes anywhere else, whoever asks. It knows the names of the gadget's few pages, allows
user pages of the bot, and accepts no page that the wiki itself takes for another.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from bot.records.posts import NotNow, Outcome, Refusal, Refused, Unclear
from bot.wiki.answers import NoAnswer, NotSent, Revision, Text
from bot.wiki.pages import USER
from bot.writing.allowed_pages import Place, place
from bot.writing.edit import MOST_BYTES, bound, outcome
from bot.writing.gate import Session
from bot.writing.preflight import CurrentPage
from handlers.ports import PermanentError, TemporaryError

INTERFACE = 8
_SCRIPT, _STYLE, _WIKITEXT = "javascript", "css", "wikitext"
# All interface pages that can be written, and the kind of text of each.
PAGES: Mapping[str, str] = MappingProxyType(
    {
        "MediaWiki:Gadget-sidenote": _WIKITEXT,
        "MediaWiki:Gadget-sidenote.js": _SCRIPT,
        "MediaWiki:Gadget-sidenote.css": _STYLE,
        "MediaWiki:Gadget-sidenote-panel": _WIKITEXT,
        "MediaWiki:Gadget-sidenote-panel.js": _SCRIPT,
        "MediaWiki:Gadget-sidenote-panel.css": _STYLE,
        "MediaWiki:Gadgets-definition": _WIKITEXT,
    }
)
_RETRY_IN_S = 60.0
_SOON_S = 2.0


class _Newest(Revision):
    comment: Text = ""


class InterfacePage(CurrentPage):
    """A page as it is on the wiki, with its newest revision's author and summary."""

    revisions: list[_Newest] = Field(default_factory=list)  # type: ignore[assignment]

    @property
    def comment(self) -> str:
        """The summary of its newest revision."""
        return self.revisions[0].comment if self.revisions else ""


class _Tokens(BaseModel):
    csrftoken: str = ""


class _Query(BaseModel):
    pages: list[InterfacePage]
    normalized: list[dict[str, Any]] = []
    tokens: _Tokens = _Tokens()


class _Answer(BaseModel):
    curtimestamp: datetime
    query: _Query


@dataclass(frozen=True, slots=True)
class _Snapshot:
    pages: Mapping[str, InterfacePage]  # by the titles that were asked for
    token: str
    at: datetime


class InterfaceGate:
    """Reads and writes the pages of a gadget on one wiki. Not for several threads.

    Args:
        session: with the wiki, as the account that deploys.
        bot: whose user pages may also be written.
    """

    def __init__(self, session: Session, bot: str) -> None:
        self._session = session
        self._bot = bot

    @property
    def account(self) -> str:
        """The account that writes."""
        return self._session.account

    def pages(self, titles: Collection[str]) -> Mapping[str, InterfacePage]:
        """Return pages as they are on the wiki, by title.

        Raises:
            PermanentError: one of them may not be written, or the wiki refuses.
            TemporaryError: the wiki cannot be reached or is busy now.
        """
        return self._snapshot(titles).pages

    def write(self, title: str, text: str, summary: str, *, base: int) -> Outcome:
        """Write a whole page, if its newest revision is still `base`.

        Args:
            title: of the page, as given to `pages`.
            text: of the whole page.
            summary: of the edit.
            base: number of the revision that was checked; 0 if it was missing.

        Raises:
            PermanentError: the page may not be written, or the wiki refuses to say.
            TemporaryError: the wiki cannot be reached; nothing was written.
        """
        snapshot = self._snapshot([title])
        page = snapshot.pages[title]
        if page.revision_id != base:
            return NotNow("the page was edited in the meantime", _SOON_S)
        if len(text.encode("utf-8", "replace")) > MOST_BYTES:
            return Refused(Refusal.TOO_LONG, "it has more than 2 MB")
        edit = bound(
            page.title,
            {"text": text},
            text,
            summary=summary,
            base=base,
            at=snapshot.at,
            token=snapshot.token,
        )
        return self._sent(edit, text, title)

    def end(self) -> None:
        """Log out.

        Raises:
            PermanentError, TemporaryError: as `pages`.
        """
        self._session.end()

    def _sent(self, parameters: Mapping[str, str], text: str, title: str) -> Outcome:
        base = int(parameters.get("baserevid", "0"))
        try:
            result = outcome(self._session.edit(parameters), base)
        except NotSent as error:
            return NotNow(str(error), error.retry_in_s)
        except NoAnswer as error:
            result = Unclear(str(error))
        if isinstance(result, Unclear):
            return self._found_out(result, text, title)
        return result

    def _found_out(self, unclear: Unclear, text: str, title: str) -> Outcome:
        """Check whether an edit was made whose answer was lost; it is never resent."""
        page = self.pages([title])[title]
        if page.text == text:
            return outcome(
                {"edit": {"result": "Success", "newrevid": page.revision_id}}, 0
            )
        return unclear

    def _snapshot(self, titles: Collection[str]) -> _Snapshot:
        for title in titles:
            self._require_ours(title)
        reply = self._session.ask(
            {
                "titles": "\x1f" + "\x1f".join(titles),
                "prop": "info|revisions",
                "rvprop": "ids|comment|user|content",
                "rvslots": "main",
                "meta": "tokens",
                "curtimestamp": "1",
            }
        )
        try:
            answer = _Answer.model_validate(reply)
        except (ValidationError, RecursionError) as error:
            raise TemporaryError(
                "the wiki's answer is not valid", retry_in_s=_RETRY_IN_S
            ) from error
        names = {
            str(each.get("from", "")): str(each.get("to", ""))
            for each in answer.query.normalized
        }
        found = {page.title: page for page in answer.query.pages}
        pages = {title: found.get(names.get(title, title)) for title in titles}
        seen = {title: self._checked(title, page) for title, page in pages.items()}
        return _Snapshot(seen, answer.query.tokens.csrftoken, answer.curtimestamp)

    def _require_ours(self, title: str) -> None:
        if title in PAGES:
            return
        where = place(title, {USER: "User"}, f"{self._bot}/Run")
        if not isinstance(where, Place) or not title.startswith(f"User:{self._bot}/"):
            raise PermanentError(
                f"“{title[:100]}” is not a page of the gadget, so it is not deployed"
            )

    def _checked(self, title: str, page: InterfacePage | None) -> InterfacePage:
        """Refuse a page that the wiki takes for something else than its title says."""
        namespace = INTERFACE if title in PAGES else USER
        kind = PAGES.get(title, _WIKITEXT)
        if page is None or page.invalid or page.special or page.ns != namespace:
            raise PermanentError(f"the wiki treats “{title}” as another page")
        if page.title.partition(":")[2] != title.partition(":")[2]:
            raise PermanentError(f"the wiki treats “{title}” as “{page.title}”")
        if page.redirect or page.contentmodel != kind:
            raise PermanentError(f"“{title}” is a redirect or not {kind}")
        if not page.missing and page.text is None:
            raise PermanentError(f"the text of “{title}” is hidden")
        return page
