"""Checks right before a write whether it is still wanted.

People edit between a check and the resulting post. A note on a talk page about a
sentence that is no longer in the article is a nuisance to everyone.
"""

from collections.abc import Callable

from bot.records.dossiers import DraftState
from bot.records.posts import Post
from bot.records.watches import PlanKind, Surface
from bot.store import Store
from bot.surfaces.opt_in.community import has_decided_since, in_force
from bot.surfaces.opt_in.refusal import kind_of, page_says, refused
from handlers.citations.suggestions import identity_of
from handlers.citations.tags import TagFinding
from handlers.findings import Suggestion
from handlers.model import PageId
from handlers.page import parse
from handlers.registry import OF_CITATIONS, PageNow, stands

_TO_BE_POSTED = frozenset({DraftState.DRAFTED, DraftState.SHOWN})


def wanted(store: Store) -> Callable[[Post, str], str]:
    """Return a function that says why a post is no longer wanted.

    It judges by the article's newest text. Somebody must still ask for the post. The
    gate only knows what a page is about for talk pages. There, each note that a post
    adds must still be open, and what it is about must be in the article: a claim with
    the same words and citations, since with another source it is another claim.
    """

    def why_not(post: Post, article: str) -> str:
        if post.plan is PlanKind.REPORT:
            watch = store.watches.get(post.wiki, post.subject)
            is_requested = watch is not None and watch.report == post.title
            return "" if is_requested else "this report is no longer asked for"
        if post.plan is PlanKind.DRAFT:
            return _why_not_drafted(store, post)
        if post.plan is PlanKind.TALK and post.adds:
            return _why_not_shown(store, post, article)
        return ""

    return why_not


def requested_on(store: Store) -> Callable[[Post], str]:
    """Return a function that names the page with the opt-in that asked for a draft.

    That page may refuse bots by now, which the page of the draft cannot, as it does not
    exist yet. All other posts go to existing pages, or are about one.
    """

    def place(post: Post) -> str:
        if post.plan is not PlanKind.DRAFT:
            return ""
        draft = store.drafts.of_page(post.wiki, post.title)
        return draft.place if draft else ""

    return place


def _why_not_drafted(store: Store, post: Post) -> str:
    draft = store.drafts.of_page(post.wiki, post.title)
    if draft is None or draft.state not in _TO_BE_POSTED:
        return "this draft is no longer asked for"
    if has_decided_since(store.communities.get(post.wiki), draft.drafted_at):
        return "the community has changed its configuration since"
    is_same = draft.text_sha256 == post.text_sha256
    return "" if is_same else "it was drafted again since"


def _why_not_shown(store: Store, post: Post, article: str) -> str:
    watches = store.watches.of_page(post.wiki, post.subject)
    if not any(Surface.TALK in each.surfaces for each in watches):
        return "notes on this page are no longer asked for"
    added = frozenset(post.adds)
    stored = store.suggestions_of(post.wiki, post.subject)
    kinds = refused(
        in_force(store.communities.get(post.wiki)), post.subject, page_says(article)
    )
    if any(
        each.suggestion.identity in added and kind_of(each.suggestion.finding) in kinds
        for each in stored
    ):
        return "such notes are now refused on this page"
    if not added <= {each.suggestion.identity for each in stored}:
        return "a note in it was settled since"
    if store.decisions.closed(post.wiki, added):
        return "readers closed a note in it since"
    now = PageNow(parse(article, PageId(post.wiki, post.subject)))
    found = [one.suggestion for one in stored if one.suggestion.identity in added]
    if not all(_is_there(each, now) for each in found):
        return "a sentence that it is about was changed since"
    return ""


def _is_there(found: Suggestion, now: PageNow) -> bool:
    if found.kind not in OF_CITATIONS:
        return stands(found, now) is not None
    kind = found.kind if found.kind == TagFinding.kind else ""
    page = now.page
    return found.identity in {identity_of(page.id, c, kind) for c in page.claims}
