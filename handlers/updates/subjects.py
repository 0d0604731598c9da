"""Reads an article for the roles: its statements, names and kind. Pure."""

from datetime import date

from handlers.model import Page, Statement, Subject, Window
from handlers.updates.roles import CriteriaMaker, Turn


async def subject_of(
    page: Page, window: Window, today: date, maker: CriteriaMaker
) -> Turn[Subject]:
    """Return what all roles know, with criteria by `maker`."""
    statements = statements_of(page)
    turn = await maker.criteria(page, statements)
    subject = Subject(
        page=page,
        names=names_of(page),
        statements=statements,
        criteria=turn.value,
        window=window,
        today=today,
        is_sensitive=is_sensitive(page),
    )
    return Turn(subject, turn.use, turn.setback, turn.detail)


def statements_of(page: Page) -> tuple[Statement, ...]:
    """Return all that the article says, in the order of the page."""
    raise NotImplementedError


def names_of(page: Page) -> tuple[str, ...]:
    """Return what the subject is called, the title without parentheses first."""
    raise NotImplementedError


def is_sensitive(page: Page) -> bool:
    """Tell whether the page is on a living person or a contentious topic."""
    raise NotImplementedError
