"""What searches find on a topic is read, the best first, and the rest is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from handlers.drafts.gather import (
    Gathered,
    GatheringPolicy,
    Reach,
    from_fetches,
    gather,
    questions,
)
from handlers.model import (
    Found,
    Left,
    LeftOut,
    Query,
    SearchResults,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Topic,
    Trust,
)
from handlers.ports import PermanentError, TemporaryError
from handlers.sources.reliability import ReliabilityLists, Rule
from tests.fakes import FakeSources

WIKI = "en.wikipedia.org"
FLOOD = Topic("2024 Port Example flood", "en", "in Example County")
LISTS = ReliabilityLists(
    [
        Rule("wiki.example", "", Trust.MIRROR),
        Rule("tabloid.example", "", Trust.DEPRECATED, WIKI),
    ]
)


def fetch(url: str, **changes: str) -> SourceFetch:
    outcome = SourceOutcome.GONE if changes else SourceOutcome.READ
    return SourceFetch(
        Source(SourceForm.URL, url, url=url),
        outcome,
        changes.get("detail", "read"),
        url=changes.get("at", url),
        document=None if changes else SourceText("Words."),
    )


def moved(url: str, to: str) -> SourceFetch:
    source = Source(SourceForm.URL, url, url=url)
    return SourceFetch(
        source, SourceOutcome.READ, "read", url=to, document=SourceText("Words.")
    )


@dataclass
class Answers:
    """A search that answers the first question, or each, with the same addresses."""

    name: str
    addresses: Sequence[str] = ()
    error: Exception | None = None
    every: bool = False
    requests: list[Query] = field(default_factory=list)

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        assert limit > 0
        self.requests.append(query)
        if self.error:
            raise self.error
        if len(self.requests) > 1 and not self.every:
            return ()
        found = [Found(one, None, "", 1.0, self.name) for one in self.addresses[:limit]]
        return SearchResults(tuple(found), (f"{self.name}: one answer was cut",))


async def _gathered(
    *searches: Answers,
    fetches: Sequence[SourceFetch] = (),
    policy: GatheringPolicy | None = None,
) -> Gathered:
    reach = Reach(
        WIKI, searches, FakeSources(fetches), LISTS, policy or GatheringPolicy()
    )
    return await gather(FLOOD, reach)


def _addresses(gathered: Gathered) -> list[str | None]:
    return [one.fetch.url for one in gathered.documents]


def test_the_name_is_asked_alone_and_with_the_hint() -> None:
    assert questions(FLOOD) == (
        "2024 Port Example flood",
        "2024 Port Example flood in Example County",
    )
    assert questions(Topic("Flut", "xx")) == ("Flut",)
    assert max(map(len, questions(Topic("x" * 500)))) == 200


async def test_a_page_that_many_questions_find_is_read_first_and_once() -> None:
    seldom = Answers("one", ["https://a.example/1"])
    often = Answers("two", ["https://b.example/2?utm_source=x"], every=True)
    fetches = [fetch("https://a.example/1"), fetch("https://b.example/2")]

    gathered = await _gathered(seldom, often, fetches=fetches)

    assert _addresses(gathered) == ["https://b.example/2", "https://a.example/1"]
    assert [one.number for one in gathered.documents] == [0, 1]
    assert gathered.troubles == (
        "one: one answer was cut",
        "two: one answer was cut",
    )
    assert {one.language for one in often.requests} == {"en"}


async def test_what_the_wiki_does_not_accept_is_not_even_opened() -> None:
    refused = ["https://wiki.example/flood", "https://tabloid.example/flood"]
    blog = "https://flood.shop/post"
    gathered = await _gathered(Answers("one", [*refused, blog]))

    assert gathered.documents == ()
    assert {one.what: one.why for one in gathered.left_out} == {
        refused[0]: Left.COPY,
        refused[1]: Left.UNRELIABLE,
        blog: Left.UNRELIABLE,
    }


async def test_a_page_that_leads_to_a_refused_site_is_left_out() -> None:
    short = "https://short.example/x"
    to = "https://tabloid.example/flood"
    gathered = await _gathered(Answers("one", [short]), fetches=[moved(short, to)])

    assert gathered.documents == ()
    assert gathered.left_out == (LeftOut(to, Left.UNRELIABLE, "deprecated"),)


async def test_what_cannot_be_read_is_named_and_the_next_is_tried() -> None:
    urls = [f"https://n{number}.example/" for number in range(5)]
    fetches = [
        fetch(urls[0], detail="the server answered 404"),
        *map(fetch, urls[1:]),
    ]
    policy = GatheringPolicy(documents=2, at_once=1)

    gathered = await _gathered(Answers("one", urls), fetches=fetches, policy=policy)

    assert _addresses(gathered) == urls[1:3]
    assert gathered.left_out == (
        LeftOut(urls[0], Left.NOT_READ, "the server answered 404"),
    )


@pytest.mark.parametrize(
    ("error", "retry_in_s"),
    [
        (TemporaryError("busy", retry_in_s=30.0), 30.0),
        (PermanentError("no key"), None),
    ],
)
async def test_a_search_that_fails_costs_its_answers_alone(
    error: Exception, retry_in_s: float | None
) -> None:
    url = "https://a.example/1"
    gathered = await _gathered(
        Answers("bad", error=error), Answers("good", [url]), fetches=[fetch(url)]
    )

    assert _addresses(gathered) == [url]
    assert gathered.troubles[0] == f"bad: {error}"
    assert gathered.retry_in_s == retry_in_s


def test_supplied_documents_are_screened_likewise() -> None:
    good, bad = "https://a.example/1", "https://wiki.example/flood"
    gone = fetch("https://c.example/", detail="the file cannot be read")

    gathered = from_fetches([fetch(bad), gone, fetch(good)], WIKI, LISTS)

    assert _addresses(gathered) == [good]
    assert gathered.documents[0].number == 0
    assert [one.why for one in gathered.left_out] == [Left.COPY, Left.NOT_READ]
