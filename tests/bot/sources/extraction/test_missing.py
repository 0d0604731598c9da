"""What could not be read of a source leaves a mark."""

import pytest

from bot.sources.extraction.extractor import read_plain
from bot.sources.extraction.html import read_html
from bot.sources.extraction.pdf import read_pdf
from bot.sources.extraction.text import Extraction
from handlers.model import MissingKind, MissingPiece, SourceOutcome
from tests.bot.sources.extraction.pdf_files import drawn, stream

SENTENCE = "The hall was opened by the mayor of the town, after four years of work. "
LEFT = [
    "The hall was opened by the mayor",
    "of the town on 3 April 2019 after",
    "four years of work on its roof and",
    "the old stage. It has 900 seats in",
    "three rows, twice as many as the",
    "first one, and a bar for visitors.",
]
RIGHT = [
    "The bridge, which is older, was",
    "drawn by Karl Dreyer in 1931 and",
    "built by the county in two winters",
    "with stone from the quarry at Old",
    "Velde. It has four arches, each of",
    "twelve metres, and a footway.",
]
IMAGE = stream(
    "0",
    "/Type /XObject /Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8"
    " /ColorSpace /DeviceGray",
)


def page(body: str, head: str = "") -> Extraction:
    markup = f"<html lang=en><head><title>Hall</title>{head}</head>{body}</html>"
    return read_html(
        markup.encode(), content_type="text/html", url="https://a.example/hall"
    )


def missing(found: Extraction) -> list[MissingPiece]:
    assert found.document is not None
    return [one for one in found.document.missing if one.kind.may_decide]


@pytest.mark.parametrize(
    "noframes", ["", "<noframes><body>It needs frames.</body></noframes>"]
)
def test_a_page_of_frames_is_not_read(noframes: str) -> None:
    found = page(
        f'<frameset cols="20%,80%"><frame src="main.html">{noframes}</frameset>'
    )

    assert missing(found) == [MissingPiece(MissingKind.FRAME, "main.html")]
    assert "needs frames" not in (found.document.text if found.document else "")


@pytest.mark.parametrize(
    ("frame", "paragraphs", "is_missing"),
    [
        ('<iframe src="/document.pdf" height="900"></iframe>', 1, True),
        ('<iframe src="/document.pdf" height="900"></iframe>', 40, True),
        ('<iframe srcdoc="<p>The text</p>"></iframe>', 40, True),
        ('<object data="/paper.pdf" type="application/pdf"></object>', 40, True),
        ('<iframe src="https://b.example/text"></iframe>', 1, True),
        ('<iframe src="https://ads.example/1"></iframe>', 40, False),
        ('<iframe src="https://b.example/count" width="1" height="1"></iframe>', 1, False),
        ('<iframe hidden src="https://b.example/text"></iframe>', 1, False),
    ],
)  # fmt: skip
def test_a_frame_is_missing_where_it_may_hold_the_text(
    frame: str, paragraphs: int, *, is_missing: bool
) -> None:
    body = f"<p>{SENTENCE * 2}</p>" * paragraphs
    found = page(f"<body><h1>Hall</h1>{frame}{body}</body>")

    assert [one.kind for one in missing(found)] == [MissingKind.FRAME] * is_missing


def test_a_short_page_that_only_some_may_read_is_cut_off() -> None:
    paid = '<script type="application/ld+json">{"isAccessibleForFree": false}</script>'
    story = f"<body><article><p>{SENTENCE * 8}</p></article></body>"
    whole = f"<body><article>{f'<p>{SENTENCE * 8}</p>' * 9}</article></body>"

    assert [one.kind for one in missing(page(story, paid))] == [MissingKind.CUT_OFF]
    assert missing(page(story)) == []
    assert missing(page(whole, paid)) == []


def drawn_page(words: str) -> bytes:
    picture = "q 612 0 0 792 0 0 cm /I Do Q"
    content = f"{picture} BT /F1 9 Tf 1 0 0 1 72 20 Tm ({words}) Tj ET"
    return drawn(content, resources="/XObject << /I 6 0 R >>", objects=(IMAGE,))


_STORY = f"<p>{SENTENCE * 3}</p>"


@pytest.mark.parametrize(
    ("end", "is_cut"),
    [
        ("<p>The mayor of the town …</p><a href=/full>Read more</a>", True),
        ("<p>The mayor of the town ... <a href=/full>Weiterlesen</a></p>", True),
        ("<p>The mayor … of the town.</p><a href=/full>Read more</a>", False),
        ('<a href="?page=2">Next</a>', True),
        ('<a href="/hall/2">2</a>', True),
        ('<a rel=next href="/hall?p=2">On</a>', True),
        ('<a href="/hall/2">The second floor</a>', False),
        ('<a rel=next href="/bridge">The bridge</a>', False),
        ('<a href="/news?page=2">2</a>', False),
    ],
)
def test_a_text_that_goes_on_elsewhere_is_cut_off(end: str, is_cut: bool) -> None:
    found = page(f"<body><main><article>{_STORY}{end}</article></main></body>")

    cut_off = MissingPiece(MissingKind.CUT_OFF)
    assert missing(found) == ([cut_off] if is_cut else [])


def test_a_page_that_tells_machines_more_than_readers_is_cut_off() -> None:
    told = '{"@type": "NewsArticle", "articleBody": "' + SENTENCE * 30 + '"}'
    head = f'<script type="application/ld+json">{told}</script>'

    found = page(f"<body><article>{_STORY}</article></body>", head)

    assert missing(found) == [MissingPiece(MissingKind.CUT_OFF)]


@pytest.mark.parametrize(
    ("picture", "is_missing"),
    [
        ("<svg><text>640 seats in 1925</text><text>700 in 1950</text></svg>", True),
        ("<img src=a.png alt='Seats: 640 in 1925, 700 in 1950'>", True),
        ("<svg><text>Hall</text></svg><img src=a.png alt='The hall in 1925'>", False),
        ("<img src=a.png alt='The bridge at 10:15 on 12 May 2020'>", False),
        ("<img src=a.png alt='Picture 1 of 12'>", False),
    ],
)
def test_figures_in_a_picture_are_missing(picture: str, is_missing: bool) -> None:
    found = page(f"<body><article>{_STORY}{picture}</article></body>")

    drawn = MissingPiece(MissingKind.PICTURE)
    assert missing(found) == ([drawn] if is_missing else [])


def test_a_picture_with_a_stamp_is_not_read() -> None:
    found = read_pdf(drawn_page("County library, downloaded 5 May 2020"))

    assert missing(found) == [MissingPiece(MissingKind.SCAN, "1")]


def test_a_page_of_words_on_a_picture_is_read() -> None:
    found = read_pdf(drawn_page(SENTENCE * 4))

    assert missing(found) == []


def test_columns_that_were_drawn_across_are_read_one_after_the_other() -> None:
    lines = "".join(
        f"1 0 0 1 72 {700 - 14 * row} Tm ({left}) Tj 1 0 0 1 320 {700 - 14 * row} Tm"
        f" ({right}) Tj "
        for row, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True))
    )

    found = read_pdf(drawn(f"BT /F1 10 Tf {lines}ET"))

    assert found.document is not None
    assert found.document.text == f"{' '.join(LEFT)}\n{' '.join(RIGHT)}"
    assert found.document.missing == ()


def test_the_rows_of_a_table_are_read_across() -> None:
    rows = "".join(
        f"1 0 0 1 72 {700 - 14 * row} Tm (Bridge {row}) Tj"
        f" 1 0 0 1 320 {700 - 14 * row} Tm (19{row + 10} m) Tj "
        for row in range(12)
    )

    found = read_pdf(drawn(f"BT /F1 10 Tf {rows}ET"))

    assert found.document is not None
    assert found.document.text.startswith("Bridge 0 1910 m\nBridge 1 1911 m")


def test_columns_typed_across_are_said_to_be_mixed() -> None:
    lines = [f"{left:<38}   {right}" for left, right in zip(LEFT, RIGHT, strict=True)]
    table = [f"Bridge {row:<31}   19{row + 10} m" for row in range(12)]

    mixed = read_plain("\n".join(lines).encode(), content_type="text/plain")
    plain = read_plain("\n".join(table).encode(), content_type="text/plain")

    assert [one.kind for one in missing(mixed)] == [MissingKind.COLUMNS]
    assert missing(plain) == []


def test_what_is_missing_survives_the_way_between_two_processes() -> None:
    found = page('<frameset><frame src="main.html"></frameset>')

    assert Extraction.from_json(found.to_json()) == found
    assert found.outcome is SourceOutcome.READ
