"""Posts for a wiki that is a folder: the whole path of a post but the wiki itself.

The embedded defaults have no wiki to ask. What would be written is written to the
local pages of the dry run, and what stands there is what the next post finds.
"""

from collections.abc import Callable
from dataclasses import dataclass

from bot.records.posts import Attempt, NotNow, Outcome, Post, Refused, Shown
from bot.wiki.answers import Revision, Slot
from bot.wiki.titles import namespaces
from bot.writing.allowed_pages import place_of
from bot.writing.editing import edited
from bot.writing.local_pages import LocalPages
from bot.writing.preflight import SeenPage
from handlers.ports import PermanentError, TemporaryError

_FIRST_REVISION = 1
_HALTED_S = 3600.0


@dataclass(frozen=True, slots=True)
class LocalGate:
    """Fulfils `bot.writing.publisher.Maker` with local pages.

    `given` has the text of a page that was never written to, by wiki and title.
    """

    pages: LocalPages
    bot: str
    given: Callable[[str, str], str | None] = lambda _wiki, _title: None

    def attempt(self, tried: Attempt) -> Outcome:
        """Write the page as it will be, under the rules of place that the wiki has.

        Never raises for what a disk does.
        """
        try:
            return self._attempt(tried)
        except TemporaryError as error:
            return NotNow(str(error), error.retry_in_s)
        except PermanentError as error:
            return NotNow(str(error), _HALTED_S, halts=True)

    def _attempt(self, tried: Attempt) -> Outcome:
        post = tried.post
        where = place_of(post, namespaces().local, f"{self.bot}/Run")
        if isinstance(where, Refused):
            return where
        seen = self._seen(post.wiki, where.title)
        if tried.first_tried_at is not None and _was_made(seen.text or "", post):
            return Shown(self.pages.where(post))
        whole = edited(seen, post)
        if isinstance(whole, Refused):
            return whole
        return Shown(self.pages.show(post, whole, ""))

    def _seen(self, wiki: str, title: str) -> SeenPage:
        text = self.pages.text(wiki, title)
        if text is None:
            text = self.given(wiki, title)
        if text is None:
            return SeenPage(title=title, missing=True)
        slots = {"main": Slot(content=text)}
        return SeenPage(
            title=title, revisions=[Revision(revid=_FIRST_REVISION, slots=slots)]
        )


def _was_made(text: str, post: Post) -> bool:
    """Tell whether an earlier try wrote the page, and was killed before it said so.

    What a post writes holds its name, and so stands on no page but by that post.
    """
    written = post.change.text.strip()
    return bool(written) and written in text
