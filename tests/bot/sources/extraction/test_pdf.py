import pytest

from bot.sources.extraction.pdf import read_pdf
from handlers.model import SourceOutcome
from tests.bot.sources.extraction.pdf_files import drawn, pdf
from tests.shared_data import shared_data

FIRST = ("The flood of May 1958", "It reached the second step of the town hall.")
SECOND = ("A mark on the wall still shows how high the wa-", "ter stood on that day.")


def test_pages_are_read_with_where_they_start() -> None:
    extraction = read_pdf(pdf([FIRST, SECOND]))

    document = extraction.document
    assert extraction.detail.endswith("characters on 2 pages")
    assert document.text[: document.page_starts[1]] == "\n".join(FIRST) + "\n"
    assert document.text[document.page_starts[1] :] == (
        "A mark on the wall still shows how high the water stood on that day."
    )


def test_an_empty_page_between_others_keeps_its_number() -> None:
    document = read_pdf(pdf([FIRST, (), SECOND])).document

    assert len(document.page_starts) == 3
    assert document.text[document.page_starts[2] :].startswith("A mark")


def test_letters_outside_ascii_are_read() -> None:
    document = read_pdf(pdf([["Die Brücke über den Fluß (1958)"]])).document

    assert document.text == "Die Brücke über den Fluß (1958)"


def test_title_author_and_date_are_read() -> None:
    info = (
        "/Title (River report) /Author (Mara Quill) /CreationDate (D:20180503101500Z)"
    )

    document = read_pdf(pdf([FIRST], info=info)).document

    assert (document.title, document.author) == ("River report", "Mara Quill")
    assert document.published == "2018-05-03"


@pytest.mark.parametrize("date", ["(yesterday)", "(D:20189999)", "42", "()"])
def test_a_date_that_is_none_is_left_out(date: str) -> None:
    document = read_pdf(pdf([FIRST], info=f"/CreationDate {date}")).document

    assert document.published is None


def test_a_title_made_by_a_word_processor_is_left_out() -> None:
    document = read_pdf(
        pdf([FIRST], info="/Title (Microsoft Word - draft2.doc)")
    ).document

    assert document.title is None


def test_a_scan_is_not_an_empty_text() -> None:
    extraction = read_pdf(pdf([(), ()]))

    assert extraction.outcome is SourceOutcome.NOT_TEXT
    assert extraction.detail == "a scan without a text layer"


def test_an_encrypted_file_is_reported() -> None:
    key = "<" + "ab" * 32 + ">"
    crypt = f"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O {key} /U {key} >>"
    crypt += " /ID [<01><01>]"

    extraction = read_pdf(pdf([FIRST], trailer=crypt))

    assert extraction.outcome is SourceOutcome.NOT_TEXT
    assert extraction.detail == "an encrypted PDF"


def test_too_many_pages_are_too_large() -> None:
    extraction = read_pdf(pdf([("page",)] * 2001))

    assert extraction.outcome is SourceOutcome.TOO_LARGE
    assert "2,001 pages" in extraction.detail


@pytest.mark.parametrize("cut", [20, 300, 700])
def test_half_a_file_is_read_or_called_damaged(cut: int) -> None:
    extraction = read_pdf(pdf([FIRST, SECOND])[:cut])

    assert extraction.outcome is SourceOutcome.INCOMPLETE
    assert "damaged" in extraction.detail


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("valid_hello", SourceOutcome.READ),
        ("self_ref_XObject", SourceOutcome.READ),
        ("Prev_loop", SourceOutcome.READ),
        ("page_loop_Kids__self", SourceOutcome.INCOMPLETE),
        ("huge_Length", SourceOutcome.INCOMPLETE),
        ("flate_bomb_1GiB_spaces", SourceOutcome.INCOMPLETE),
        ("double_flate_1GiB", SourceOutcome.INCOMPLETE),
        ("70MB_of_Tj_ops__under_75MB_limit_", SourceOutcome.INCOMPLETE),
        ("70MB_of_q_ops", SourceOutcome.INCOMPLETE),
        ("1MB_of____nest", SourceOutcome.INCOMPLETE),
    ],
)
def test_a_bomb_ends_in_an_outcome(name: str, outcome: SourceOutcome) -> None:
    bomb = shared_data("security_corpora") / "pdf-bombs" / f"{name}.pdf"

    assert read_pdf(bomb.read_bytes()).outcome is outcome


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param(
            "1 0 0 1 72 700 Tm (opened in 1990) Tj 5 Ts /F1 7 Tf (3) Tj"
            " 0 Ts /F1 12 Tf ( with 640 seats) Tj",
            "opened in 1990³ with 640 seats",
            id="raised",
        ),
        pytest.param(
            "1 0 0 1 72 700 Tm (It has 10) Tj /F1 7 Tf 1 0 0 1 110 705 Tm (6) Tj"
            " /F1 12 Tf 1 0 0 1 116 700 Tm (bricks) Tj",
            "It has 10⁶ bricks",
            id="a power, placed higher",
        ),
        pytest.param(
            "72 700 Td (some H) Tj /F1 7 Tf 40 -3 Td (2) Tj"
            " /F1 12 Tf 6 3 Td (O in it) Tj",
            "some H2 O in it",
            id="lowered",
        ),
        pytest.param(
            "1 0 0 1 72 700 Tm (Seats) Tj /F1 8 Tf 1 0 0 1 140 700 Tm (64) Tj",
            "Seats 64",
            id="small on the line",
        ),
        pytest.param(
            "1 0 0 1 72 700 Tm (Seats) Tj /F1 8 Tf 1 0 0 1 72 686 Tm (64) Tj",
            "Seats\n64",
            id="small below",
        ),
    ],
)
def test_a_small_number_above_the_line_is_no_part_of_another(
    content: str, text: str
) -> None:
    found = read_pdf(drawn(f"BT /F1 12 Tf {content} ET"))

    assert found.document is not None
    assert found.document.text == text
