"""Documents become a draft that quotes; what cannot be used is named."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.drafts.check import evidence_in
from handlers.drafts.chunks import chunks_of
from handlers.drafts.dossier import Cast, draft
from handlers.drafts.embedded import quoted, survey
from handlers.drafts.roles import Order, Outline, Rules
from handlers.model import (
    Draft,
    DraftMethod,
    DraftSection,
    DraftSentence,
    Left,
    PlannedSection,
    Topic,
    WorthReading,
)
from handlers.ports import PermanentError
from handlers.updates.roles import RoleAnswer
from tests.handlers.drafts.puppets import BY_WORDS, WordVerifier, cast, document

TOPIC = Topic("2024 Port Example flood")
TITLE = "Port Example flood of 2024"
NEEDING = "They were in the town."
# What is not quoted of a page; a few sentences are too much of a page that has no more.
REST = "\n" + "You can read all of the news of the day in our paper.\n" * 60
NEWS = """Home
News
Sport
Subscribe to our newsletter to read more
The Port Example flood was a flood in the town of Port Example in Exland. The River Exam burst its banks in Port Example on 3 October 2024 after two days of heavy rain. Some 1,200 people of Port Example were taken out of the flood by the fire brigade on 4 October 2024.
The flood killed 12 people in Port Example, the police said on 6 October 2024. The government of Peter Hall set aside 40 million euros in aid for those who lost homes in the flood.
Subscribe to us and you will know more.
"""
NEWS += REST
LATER = """The flood in Port Example destroyed 300 homes and two bridges on 3 October 2024. Some 1,200 people of Port Example were taken out of the flood by the fire brigade on 4 October 2024.
Why was the dyke of Port Example not inspected? An inquiry opened in January 2025 found that the dyke in Port Example had not been inspected for ten years. The mayor, Clara Stone, resigned on 9 January 2025 after the inquiry into the flood.
"""
LATER += REST
GERMAN = (
    "Der Fluss trat am 3. Oktober über die Ufer und die Feuerwehr brachte 1200 Menschen aus der Stadt in Sicherheit. Die Regierung hat für die Opfer der Flut 40 Millionen Euro bereitgestellt, und der Bürgermeister ist nach der Untersuchung zurückgetreten. "
    * 3
)


def _turning(made: Cast) -> Cast:
    """A writer turns each sentence around, and still calls it a quote."""

    async def write(order: Order) -> RoleAnswer[tuple[DraftSection, ...] | None]:
        headings = made.headings(order.topic.language)
        of = order.topic, order.documents, order.chunks
        quotes = await quoted(
            await survey(*of, made.encoder, headings), order, made.encoder
        )
        return RoleAnswer(tuple(map(_backwards, quotes)))

    return replace(made, writer=write)


def _backwards(section: DraftSection) -> DraftSection:
    paragraphs = tuple(
        tuple(replace(one, text=" ".join(one.text.split()[::-1])) for one in paragraph)
        for paragraph in section.paragraphs
    )
    return replace(section, paragraphs=paragraphs)


async def _draft(*texts: str, **more: object) -> Draft:
    documents = [document(at, text, TITLE) for at, text in enumerate(texts)]
    return await draft(TOPIC, documents, cast(), **more)  # type: ignore[arg-type]  # by name


async def test_each_sentence_is_a_quote_that_its_chunk_supports() -> None:
    made = await _draft(NEWS, LATER)

    texts = {one.number: one.fetch.document for one in made.documents}
    assert len(made.sentences) >= 4
    for one in made.sentences:
        best = one.cites[0]
        source = texts[best.chunk.document]
        assert source is not None
        assert one.is_quote
        assert " ".join(best.evidence.span.of(source.text).split()) == one.text
        assert best.evidence.quote in best.chunk.text
        assert best.probability == 1.0


async def test_nothing_is_said_twice_and_nothing_of_the_page_is_quoted() -> None:
    made = await _draft(NEWS, LATER)

    texts = [one.text for one in made.sentences]
    assert len(texts) == len(set(texts))
    told = " ".join(texts)
    for unwanted in ("Subscribe", "Why was", "Home News"):
        assert unwanted not in told


async def test_what_both_documents_say_is_cited_to_both() -> None:
    made = await _draft(NEWS, LATER)

    [shared] = [one for one in made.sentences if one.text.startswith("Some 1,200")]
    assert {cite.chunk.document for cite in shared.cites} == {0, 1}


async def test_documents_of_no_use_are_named_with_the_reason() -> None:
    documents = [
        document(0, NEWS, TITLE),
        document(1, GERMAN, "Flut"),
        document(2, NEWS.replace("Home\n", ""), TITLE),
        document(3, NEWS, TITLE, url="https://en.wikipedia.org/wiki/Flood"),
        document(4, "home news sport weather menu search", TITLE),
        document(5, "The cat sat on the mat for two days. A dog barked at the cat."),
        document(6, "the flood in port example rose and people fled " * 40, TITLE),
    ]

    made = await draft(TOPIC, documents, cast())

    assert [one.number for one in made.documents] == [0, 6]
    assert WorthReading(6, (), 0) in made.worth_reading
    assert {one.what: one.why for one in made.left_out} == {
        "https://news1.example/1": Left.OTHER_LANGUAGE,
        "https://news2.example/2": Left.COPY,
        "https://en.wikipedia.org/wiki/Flood": Left.COPY,
        "https://news4.example/4": Left.NO_SENTENCES,
        "https://news5.example/5": Left.NOT_ABOUT_TOPIC,
    }


async def test_without_documents_a_person_is_told_what_to_do() -> None:
    with pytest.raises(
        PermanentError, match=r"no documents on “2024 Port .* widen the"
    ):
        await _draft()


async def test_documents_all_in_another_language_end_in_a_clear_answer() -> None:
    with pytest.raises(
        PermanentError,
        match=r"it is in another language: its language is de \(1\).*now en",
    ):
        await _draft(GERMAN)


async def test_documents_that_contradict_each_other_are_set_side_by_side() -> None:
    made = await _draft(
        REST
        + "The 2024 flood in Port Example killed 12 people.\nThe river of Port Example burst its banks in the 2024 flood."
        + REST,
        REST
        + "The River Exam rose in Port Example for two days.\nThe 2024 flood in Port Example killed 19 people."
        + REST,
    )

    assert [one.about for one in made.disagreements] == ["person"]
    [found] = made.disagreements
    assert {found.one.cites[0].chunk.document, found.other.cites[0].chunk.document} == {
        0,
        1,
    }


async def test_what_the_verifier_finds_unsupported_is_left_out() -> None:
    worded = _turning(cast(doubts="people 12"))
    documents = [document(0, NEWS, TITLE)]

    made = await draft(TOPIC, documents, worded)

    assert made.sentences
    assert all("people 12" not in one.text for one in made.sentences)
    [gone] = [one for one in made.left_out if one.why is Left.NOT_SUPPORTED]
    assert "people 12" in gone.what


async def test_a_quote_is_kept_with_the_verifier_s_doubt() -> None:
    made = await draft(TOPIC, [document(0, NEWS, TITLE)], cast(doubts="12 people"))

    [doubted] = [one for one in made.sentences if "12 people" in one.text]
    assert doubted.cites[0].probability == 0.0


@pytest.mark.parametrize("is_dropped", [False, True])
async def test_a_sentence_goes_with_the_one_that_it_needs(is_dropped: bool) -> None:
    page = document(0, NEWS, TITLE)
    [chunk] = chunks_of(page, 10_000)
    texts = (
        "The flood killed 12 people in Port Example.",
        NEEDING,
        "Those people lost homes in the flood.",
        "Peter Hall set aside 40 million euros.",
    )
    cites = (evidence_in(chunk, texts[0], TOPIC.title),)
    said = tuple(DraftSentence(one, cites, is_quote=False) for one in texts)

    async def write(_: Order) -> RoleAnswer[tuple[DraftSection, ...] | None]:
        return RoleAnswer((DraftSection("", (said,)),))

    verifier = WordVerifier(texts[0] if is_dropped else "", allows=texts[1:])
    worded = replace(cast(DraftMethod.RR), writer=write, verifier=verifier)
    made = await draft(TOPIC, [page], worded)

    expected = texts[3:] if is_dropped else texts
    assert [one.text for one in made.sentences] == list(expected)
    # Only the page is named: what "they" did may be what must not be said of them.
    gone = [one.what for one in made.left_out if one.why is Left.DANGLING]
    assert gone == ([page.name] if is_dropped else [])


async def test_a_sentence_said_twice_needs_the_one_before_it_where_it_is_kept() -> None:
    page = document(0, NEWS, TITLE)
    [chunk] = chunks_of(page, 10_000)
    gone, other = "The flood killed people.", "Peter Hall set aside 40 million euros."
    cites = (evidence_in(chunk, gone, TOPIC.title),)

    async def write(_: Order) -> RoleAnswer[tuple[DraftSection, ...] | None]:
        said = (
            tuple(DraftSentence(text, cites, is_quote=False) for text in (one, NEEDING))
            for one in (gone, other)
        )
        headed = zip(("", "Aid"), said, strict=True)
        return RoleAnswer(tuple(DraftSection(one, (each,)) for one, each in headed))

    verifier = WordVerifier(gone, allows=(other, NEEDING))
    worded = replace(cast(DraftMethod.RR), writer=write, verifier=verifier)
    made = await draft(TOPIC, [page], worded)

    assert [one.text for one in made.sentences] == [other]


async def test_retrieve_then_read_writes_the_whole_from_the_best_chunks() -> None:
    documents = [document(0, NEWS, TITLE), document(1, LATER, TITLE)]

    made = await draft(TOPIC, documents, cast(DraftMethod.RR), Rules(chunks=1))

    assert made.method is DraftMethod.RR
    assert made.reranker == BY_WORDS.name
    assert len({one.cites[0].chunk.document for one in made.sentences}) == 1


async def test_no_reranker_is_named_where_all_chunks_are_read_as_they_stand() -> None:
    made = await _draft(NEWS, LATER, rules=Rules(chunks=40))

    assert made.reranker == ""


async def test_no_more_words_are_written_than_are_wanted() -> None:
    made = await _draft(NEWS, LATER, rules=Rules(words=60, chunks=40))

    assert sum(len(one.text.split()) for one in made.sentences) <= 90


@pytest.mark.parametrize(("chunks", "asked"), [(40, 3), (0, 0)])
async def test_a_writer_gets_no_more_sections_than_are_wanted_and_none_without_chunks(
    chunks: int, asked: int
) -> None:
    orders: list[Order] = []

    async def plan(*_: object) -> RoleAnswer[Outline | None]:
        days = (PlannedSection(f"Day {number}") for number in range(30))
        return RoleAnswer((PlannedSection(""), *days))

    async def write(order: Order) -> RoleAnswer[tuple[DraftSection, ...] | None]:
        orders.append(order)
        return RoleAnswer(None)

    await draft(
        TOPIC,
        [document(0, NEWS, TITLE)],
        replace(cast(), planner=plan, writer=write),
        Rules(chunks=chunks, sections=3),
    )

    assert len(orders) == asked


async def test_a_model_s_words_are_no_quote_whatever_it_calls_them() -> None:
    worded = _turning(cast())
    documents = [document(0, NEWS, TITLE)]

    made = await draft(TOPIC, documents, worded)

    assert made.sentences
    assert made.is_worded
    assert not any(one.is_quote for one in made.sentences)


@settings(max_examples=25, deadline=None)
@given(
    st.text(
        alphabet="Port Example flood.\n<>{}[]|'\u200b\u202e\x00é“”!?=12", max_size=300
    )
)
async def test_hostile_text_breaks_nothing(noise: str) -> None:
    made = await _draft(NEWS, f"{noise}\n{LATER}\n{noise}")

    for one in made.sentences:
        assert not set("<>{}|\x00") & set(one.text)
