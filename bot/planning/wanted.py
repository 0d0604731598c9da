"""Asks once more, right before a write, whether it is still wanted.

Between the look that found something and the post, people edit. A note on a talk page
about a sentence that no longer stands in the article is a nuisance to everybody.
"""

from collections.abc import Callable

from bot.posts import Post
from bot.store import Store
from bot.watches import PlanKind
from handlers.citations.suggestions import identity_of
from handlers.model import PageId
from handlers.wikitext import parse


def wanted(store: Store) -> Callable[[Post, str], str]:
    """Return what says why a post is no longer wanted, by the article's newest text.

    Only of talk pages does the gate know what they are about. Each note that a post
    adds has to be open, and its claim to stand in the article, by its words and what
    it cites: a sentence with another source is another claim.
    """

    def why_not(post: Post, article: str) -> str:
        if post.plan is not PlanKind.TALK or not post.adds:
            return ""
        kept = store.suggestions_of(post.wiki, post.subject)
        added = frozenset(post.adds)
        if not added <= {each.suggestion.identity for each in kept}:
            return "a note in it was settled meanwhile"
        page = parse(article, PageId(post.wiki, post.subject))
        if not added <= {identity_of(page.id, claim) for claim in page.claims}:
            return "a sentence that it speaks of was changed meanwhile"
        return ""

    return why_not
