"""What people took from a page between our look at it and the edit that followed.

The wiki merges an edit with one that came between, where no line was changed by both in
different ways. A note that the two of them took away, they because they do not want it
and we because it is settled, would then never count as dismissed, and could be told
again. So where the wiki says that an edit went over another one, the page is read as it
stood before ours; and where it says that ours changes nothing, because they did the same,
as it stands now. Of an edit whose answer was lost that is not known.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ValidationError

from bot.on_wiki.keys import Keys
from bot.posts import Outcome, Post, Posted
from bot.surfaces.note import marks_in
from bot.writing.seen import SeenPage
from handlers.ports import PermanentError, TemporaryError


class _Edit(BaseModel):
    oldrevid: int = 0
    newrevid: int = 0
    nochange: bool = False


class _Answer(BaseModel):
    edit: _Edit


class _Query(BaseModel):
    pages: list[SeenPage]


class _Before(BaseModel):
    query: _Query


Ask = Callable[[Mapping[str, str]], dict[str, Any]]


def with_taken(
    made: Outcome,
    answer: Mapping[str, Any],
    seen: SeenPage,
    post: Post,
    keys: Keys,
    *,
    ask: Ask,
) -> Outcome:
    """Return `made` with the notes that people had taken away before it.

    Args:
        made: what became of the edit.
        answer: the wiki's to the edit.
        seen: the page that the edit was made for.
        post: what was made.
        keys: signed its notes.
        ask: asks the wiki; if that fails nothing is known, and the post stands.
    """
    crossed = _crossed(answer, seen)
    if not isinstance(made, Posted) or not post.settles or not crossed:
        return made
    try:
        before = _Before.model_validate(ask(_question(crossed))).query.pages
    except (PermanentError, TemporaryError, ValidationError):
        return made
    if len(before) != 1 or before[0].text is None:
        return made
    gone = {*marks_in(seen.text or "", keys)} - {*marks_in(before[0].text, keys)}
    taken = tuple(each for each in post.settles if each[:24] in gone)
    return replace(made, taken=taken)


def _crossed(answer: Mapping[str, Any], seen: SeenPage) -> dict[str, str]:
    """Return what names the page as another edit left it; empty if there was none."""
    try:
        edit = _Answer.model_validate(answer).edit
    except (ValidationError, RecursionError):
        return {}
    if edit.nochange:  # and ours would have changed the page as we saw it
        return {"titles": f"\x1f{seen.title}"}
    is_over = seen.revision_id and edit.newrevid and edit.oldrevid != seen.revision_id
    return {"revids": str(edit.oldrevid)} if is_over else {}


def _question(named: Mapping[str, str]) -> dict[str, str]:
    return {
        **named,
        "prop": "revisions",
        "rvprop": "ids|content",
        "rvslots": "main",
    }
