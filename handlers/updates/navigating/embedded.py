"""The embedded navigator: questions in a fixed order of promise, pages by relevance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from handlers.citations.addresses import normal_key
from handlers.citations.cues.words import content_stems, words
from handlers.citations.flagging import language_of
from handlers.model import Ask, Found, Move, Open, Query, SoFar, Stop, Stopped, Subject
from handlers.updates.navigating.recency import by_recency
from handlers.updates.roles import Turn

_ENOUGH_OF_NAME = 0.6  # of a name's words, for a page to seem to be about it
_LONGEST_QUESTION = 200  # characters; some services refuse longer ones


@dataclass(frozen=True, slots=True)
class NavigationPolicy:
    """How far the navigator goes. One query makes the paper's ablation.

    `unseen` pages are opened though nothing tells that they are about the subject:
    some services find words in a page and show none of it.
    """

    queries: int = 14
    pages: int = 40
    unseen: int = 10


class EmbeddedNavigator:
    """Fulfils `handlers.updates.roles.Navigator`."""

    def __init__(self, policy: NavigationPolicy | None = None) -> None:
        self._policy = policy or NavigationPolicy()

    async def next_move(self, subject: Subject, so_far: SoFar) -> Turn[Move]:
        """Open the best page that seems to be about the subject, else ask, else stop."""
        if len(so_far.opened) >= self._policy.pages:
            return Turn(Stop(Stopped.ENOUGH))
        found = self._best(subject, so_far)
        if found is not None:
            return Turn(Open(found, f"{_named(found)} seems to be about the subject"))
        found = self._unseen(subject, so_far)
        if found is not None:
            why = f"{found.search} shows nothing of {_named(found)}"
            return Turn(Open(found, why))
        if self._may_ask(so_far):
            ask = next(_questions(subject, so_far), None)
            if ask is not None:
                return Turn(ask)
        return Turn(Stop())

    def _may_ask(self, so_far: SoFar) -> bool:
        return len(so_far.queries) < self._policy.queries

    def _best(self, subject: Subject, so_far: SoFar) -> Found | None:
        """Return the first page not opened yet that names the subject."""
        for found in so_far.hits:
            if normal_key(found.address) in so_far.opened:
                continue
            if _seems_about(found, subject):
                return found
        return None

    def _unseen(self, subject: Subject, so_far: SoFar) -> Found | None:
        """Return the first page not opened yet of which nothing is shown."""
        blank = [
            one
            for one in so_far.hits
            if not one.excerpt.strip() and not _seems_about(one, subject)
        ][: self._policy.unseen]
        left = (one for one in blank if normal_key(one.address) not in so_far.opened)
        return next(left, None)


def _seems_about(found: Found, subject: Subject) -> bool:
    wanted = (content_stems(words(name)) for name in subject.names)
    return any(_is_about(found, name) for name in wanted if name)


def _named(found: Found) -> str:
    return f"“{(found.title or found.address)[:120]}”"


def _is_about(found: Found, name: frozenset[str]) -> bool:
    said = content_stems(words(f"{found.title or ''} {found.excerpt} {_slug(found)}"))
    return len(name & said) / len(name) >= _ENOUGH_OF_NAME


def _slug(found: Found) -> str:
    """Return the words of an address, which often repeat the headline."""
    return found.address.replace("-", " ").replace("_", " ").replace("/", " ")


def _questions(subject: Subject, so_far: SoFar) -> Iterator[Ask]:
    """Yield what was not asked yet, the most promising first."""
    asked = {query.claim.casefold() for query in so_far.queries}
    for text, section, why in _all_questions(subject, so_far.hints):
        claim = text[:_LONGEST_QUESTION].strip()
        if claim and claim.casefold() not in asked:
            title = subject.names[0]
            yield Ask(
                Query(
                    claim,
                    title,
                    section,
                    window=subject.window,
                    language=language_of(subject.page.id.wiki),
                ),
                why,
            )


def _all_questions(
    subject: Subject, hints: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    title = subject.names[0]
    yield title, (), "the subject itself"
    for hint in hints:
        yield hint, (), "what was found leads there"
    for name in subject.names[1:3]:
        yield name, (), "another name of the subject"
    for section in by_recency(subject):
        heading = section[-1]
        yield f"{title} {heading}", section, f"what belongs under “{heading}”"
