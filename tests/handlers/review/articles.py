"""Reviews of a short article about a bridge, in a line each."""

from collections.abc import Mapping
from datetime import date

from handlers.model import IssueKind, PageId, Review, WritingIssue
from handlers.page import parse
from handlers.review.review import review

REF = "<ref>{{cite web|url=https://news.example/1|title=News}}</ref>"
TODAY = date(2026, 10, 4)
FILLER = "The bridge carries two lanes of the road between the towns. "


def reviewed(body: str, sources: Mapping[str, str] | None = None) -> Review:
    title = "Harbour Bridge"
    lead = f"'''{title}''' is a bridge in Port Example, and the oldest of the town.\n\n"
    page = parse(lead + body, PageId("en.wikipedia.org", title))
    return review(page, sources, today=TODAY)


def shown_in(body: str, sources: Mapping[str, str] | None = None) -> list[WritingIssue]:
    return list(reviewed(body, sources).findings)


def kinds_in(body: str) -> set[IssueKind]:
    return {one.kind for one in shown_in(body)}
