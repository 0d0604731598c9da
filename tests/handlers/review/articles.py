"""Reviews of a short article about a bridge, in a line each."""

from collections.abc import Mapping

from handlers.model import IssueKind, PageId, Review, WritingIssue
from handlers.page import parse
from handlers.review.review import BAR, review

REF = "<ref>{{cite web|url=https://news.example/1|title=News}}</ref>"
FILLER = "The bridge carries two lanes of the road between the towns. "


def reviewed(body: str, sources: Mapping[str, str] | None = None) -> Review:
    title = "Harbour Bridge"
    lead = f"'''{title}''' is a bridge in Port Example, and the oldest of the town.\n\n"
    page = parse(lead + body, PageId("en.wikipedia.org", title))
    return review(page, sources)


def shown_in(body: str, sources: Mapping[str, str] | None = None) -> list[WritingIssue]:
    found = reviewed(body, sources).findings
    return [one for one in found if one.confidence >= BAR]


def kinds_in(body: str) -> set[IssueKind]:
    return {one.kind for one in shown_in(body)}
