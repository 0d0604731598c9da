"""What a look at the wiki shows that stands against a write. Pure."""

from bot.records.posts import NotNow, Refusal, Refused
from bot.surfaces.opt_in.exclusion import PROGRAM, exclusion
from bot.writing.allowed_pages import Place, is_allowed
from bot.writing.preflight import Seen

GO = "run"
"""What the stop page of a task says, and nothing else, while the task may write."""

_STOPPED_S = 300.0
_HALTED_S = 3600.0


def by_page(where: Place, look: Seen) -> Refused | None:
    """Return what keeps the page itself from being written to."""
    page = look.page
    if page.invalid or page.special:
        return Refused(Refusal.PLACE, f"“{where.title}” is no page")
    if page.ns != where.namespace or not is_allowed(page.ns):
        return Refused(Refusal.PLACE, "the wiki says it is neither talk nor user page")
    if page.redirect:
        return Refused(Refusal.PLACE, f"“{where.title}” leads to another page")
    if page.contentmodel != "wikitext":
        return Refused(Refusal.PLACE, f"“{where.title}” holds no wikitext")
    return None


def by_people(look: Seen) -> Refused | NotNow | None:
    """Return who has stopped the bot, if anybody has."""
    said = look.stop.text if look.stop and not look.stop.redirect else None
    if said != GO:
        why = f"the stop page of the task does not say “{GO}”"
        return NotNow(why, _STOPPED_S)
    if look.user.messages:
        why = "somebody has left a message for the bot; read it, as the bot, to go on"
        return NotNow(why, _STOPPED_S, halts=True)
    if look.user.blockid is not None and not look.user.blockpartial:
        why = f"the account is blocked: {look.user.blockreason}"
        return NotNow(why, _HALTED_S, halts=True)
    rights = look.user.rights
    if rights and not look.user.anon and "edit" not in rights:
        why = "the account may not edit: it lacks that right, or its login the grant"
        return NotNow(why, _HALTED_S, halts=True)
    return None


def by_exclusion(look: Seen, bot: str, in_use: tuple[str, ...]) -> Refused | None:
    """Return which page keeps bots away, if any does: the page, or what it is about.

    One on which a person asked for the post may do so for a while; then it is not
    wanted now.
    """
    pages = (
        (look.page, Refusal.EXCLUDED),
        (look.subject, Refusal.EXCLUDED),
        (look.asked_on, Refusal.UNWANTED),
    )
    for page, reason in pages:
        if page is None or page.text is None:
            continue
        found = exclusion(page.text, bot, in_use=in_use, task=PROGRAM)
        if not found.may_write:
            return Refused(reason, f"“{page.title}”: {found.reason}")
    return None
