"""Few words of each source are shown, and nothing of people that one source alone says."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.models.encoder import RememberingEncoder
from handlers.drafts.dossier import draft
from handlers.drafts.limits import MOST_SHARE, Allowance, guarded, is_contentious
from handlers.model import (
    Chunk,
    CitedChunk,
    DraftDocument,
    DraftSection,
    DraftSentence,
    Evidence,
    Left,
    Passage,
    Span,
    Topic,
)
from tests.handlers.drafts.puppets import cast, document

TOPIC = Topic("2024 Port Example flood")
LINES = [
    f"The Port Example flood of {day} October 2024 took {day + 2} {what} in the town."
    for day, what in enumerate(
        [
            "houses",
            "bridges",
            "cars",
            "boats",
            "trees",
            "sheds",
            "roads",
            "cows",
            "shops",
            "farms",
        ],
        1,
    )
]
WORDS = " ".join(f"word{number}" for number in range(1_000))


async def test_no_source_is_quoted_beyond_its_share_or_in_long_runs() -> None:
    documents = [document(0, "\n\n".join(LINES), "Port Example flood of 2024")]
    made = await draft(TOPIC, documents, cast())
    [source] = documents
    assert source.fetch.document
    text = source.fetch.document.text
    spans = sorted(
        (one.cites[0].evidence.span for one in made.sentences),
        key=lambda one: one.start,
    )
    assert spans
    quoted = sum(len(one.of(text).split()) for one in spans)
    assert quoted <= MOST_SHARE * len(text.split())
    [worth] = made.worth_reading
    assert (worth.document, worth.sentences > 0) == (0, True)


@given(st.lists(st.tuples(st.integers(0, 990), st.integers(1, 60)), max_size=60))
def test_an_allowance_holds_in_whatever_order_it_is_spent(
    wanted: list[tuple[int, int]],
) -> None:
    allowance = Allowance([document(0, WORDS)])
    shown: set[int] = set()
    for first, count in wanted:
        members = WORDS.split()[first : first + count]
        start = WORDS.index(members[0])
        end = WORDS.index(members[-1]) + len(members[-1])
        if allowance.spend(0, Span(start, end)):
            shown |= set(range(first, first + len(members)))
    runs = "".join("x" if at in shown else " " for at in range(1_000)).split()
    assert len(shown) <= MOST_SHARE * 1_000
    assert max(map(len, runs), default=0) <= 40


class Near:
    """Takes a sentence for harmful that speaks of fraud."""

    async def likeness(self, texts: list[str], others: list[str]) -> list[list[float]]:
        return [[float("fraud" in one) for _ in others] for one in texts]


FRAUD = "Ann Example was charged with fraud in Port Example in October 2024."
BURST = "The River Exam burst its banks in Port Example on 3 October 2024."


RUMOUR = "The Example family are rumoured to have made millions from drugs and guns."


def _section(
    *documents: DraftDocument, likely: float, texts: tuple[str, ...] = (FRAUD, BURST)
) -> DraftSection:
    def cited(one: DraftDocument, text: str) -> CitedChunk:
        text = f"{text} Report {one.number}."
        span = Span(0, len(text))
        passage = Passage("x", text, span)
        return CitedChunk(
            Chunk(one.number, 0, text, span),
            Evidence(passage, text, span, (), 1.0),
            probability=likely,
        )

    return DraftSection(
        "",
        (
            tuple(
                DraftSentence(text, tuple(cited(one, text) for one in documents))
                for text in texts
            ),
        ),
    )


async def _left(
    *documents: DraftDocument, topic: Topic = TOPIC, likely: float = 0.9
) -> list[str]:
    section = _section(*documents, likely=likely)
    retained, gone = await guarded(topic, [section], documents, Near())  # type: ignore[arg-type]  # lists
    assert all(one.why is Left.ONE_SOURCE for one in gone)
    assert all("fraud" not in f"{one.what} {one.detail}" for one in gone)
    return [one.text for section in retained for one in section.sentences]


async def test_what_one_site_says_against_a_person_is_left_out() -> None:
    one, twin, other = (
        replace(each, is_reliable=False)
        for each in (
            document(0, WORDS),
            document(1, WORDS, url="https://news0.example/b"),
            document(1, WORDS),
        )
    )
    assert await _left(one) == [BURST]
    assert await _left(one, twin) == [BURST]  # another page of the same site
    assert await _left(one, other) == [FRAUD, BURST]
    assert await _left(one, other, likely=0.6) == [BURST]
    assert await _left(replace(one, is_reliable=True)) == [FRAUD, BURST]


async def test_a_rumour_about_a_gang_is_one_against_a_person() -> None:
    one = replace(document(0, WORDS), is_reliable=False)
    section = _section(one, likely=0.9, texts=(RUMOUR, BURST))
    [retained], _ = await guarded(TOPIC, [section], [one], RememberingEncoder())
    assert [each.text for each in retained.sentences] == [BURST]


async def test_on_a_contentious_topic_all_needs_more_than_one_site() -> None:
    topic = Topic("2024 Gaza aid convoy")
    assert is_contentious(topic)
    assert not is_contentious(TOPIC)
    assert (
        await _left(replace(document(0, WORDS), is_reliable=False), topic=topic) == []
    )
