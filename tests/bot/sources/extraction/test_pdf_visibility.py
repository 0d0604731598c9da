import pytest

from bot.sources.extraction.pdf import read_pdf
from handlers.model import MissingKind, MissingPiece, SourceOutcome
from tests.bot.sources.extraction.pdf_files import drawn, stream

FIRST = "The flood of May 1958 reached the second step of the town hall."
LAST = "A mark on the wall of the brewery still shows how high the water stood."
HIDDEN = (
    "The ferry sank on 9 March 1961 and forty people of Larkfield lost their lives."
)
LAYER = "<< /Type /OCG /Name (notes) >>"
OFF = "/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>"
IMAGE = stream(
    "\0" * 3,
    "/Type /XObject /Subtype /Image /Width 1 /Height 1"
    " /ColorSpace /DeviceRGB /BitsPerComponent 8",
)


def text(words: str, at: tuple[int, int], before: str = "") -> str:
    return f"BT /F1 12 Tf {before} {at[0]} {at[1]} Td ({words}) Tj ET"


def page(middle: str) -> str:
    """Return what is drawn on a page, between two lines that are shown."""
    return f"{text(FIRST, (72, 720))} q {middle} Q {text(LAST, (72, 600))}"


AT = (72, 660)
# The content, resources, entries of the catalogue, objects.
WAYS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "invisible": (text(HIDDEN, AT, "3 Tr"), "", "", ()),
    "white": (f"1 1 1 rg {text(HIDDEN, AT)}", "", "", ()),
    "white as grey": (f"1 g {text(HIDDEN, AT)}", "", "", ()),
    "white as ink": (f"0 0 0 0 k {text(HIDDEN, AT)}", "", "", ()),
    "white in a colour space": (
        f"/DeviceRGB cs 1 1 1 sc {text(HIDDEN, AT)}",
        "",
        "",
        (),
    ),
    "white on a white box": (
        f"1 g 60 650 500 30 re f {text(HIDDEN, AT)}",
        "",
        "",
        (),
    ),
    "black on a black box": (
        f"0 g 60 650 500 30 re f {text(HIDDEN, AT)}",
        "",
        "",
        (),
    ),
    "tiny": (text(HIDDEN, AT).replace("12 Tf", "0.1 Tf"), "", "", ()),
    "made tiny": (f"0.001 0 0 0.001 72 660 cm {text(HIDDEN, (0, 0))}", "", "", ()),
    "off the page": (text(HIDDEN, (72, 3000)), "", "", ()),
    "left of the page": (text(HIDDEN, (-2000, 660)), "", "", ()),
    "moved off the page": (f"1 0 0 1 0 -5000 cm {text(HIDDEN, AT)}", "", "", ()),
    "clipped": (f"0 0 10 10 re W n {text(HIDDEN, AT)}", "", "", ()),
    "under a box": (f"{text(HIDDEN, AT)} 1 g 60 650 500 30 re f", "", "", ()),
    "under a black box": (f"{text(HIDDEN, AT)} 0 g 60 650 500 30 re f", "", "", ()),
    "under a small image": (
        f"{text(HIDDEN, AT)} q 500 0 0 30 60 650 cm /I Do Q",
        "/XObject << /I 6 0 R >>",
        "",
        (IMAGE,),
    ),
    "transparent": (
        f"/G gs {text(HIDDEN, AT)}",
        "/ExtGState << /G << /ca 0 >> >>",
        "",
        (),
    ),
    "a layer that is off": (
        f"/OC /L BDC {text(HIDDEN, AT)} EMC",
        "/Properties << /L 6 0 R >>",
        OFF,
        (LAYER,),
    ),
    "layers that are off": (
        f"/OC /L BDC {text(HIDDEN, AT)} EMC",
        "/Properties << /L 7 0 R >>",
        OFF,
        (LAYER, "<< /Type /OCMD /OCGs [6 0 R] >>"),
    ),
    "a form of a layer that is off": (
        "/X Do",
        "/XObject << /X 7 0 R >>",
        OFF,
        (
            LAYER,
            stream(
                text(HIDDEN, AT),
                "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /OC 6 0 R"
                " /Resources << /Font << /F1 3 0 R >> >>",
            ),
        ),
    ),
    "white in a form": (
        "1 g /X Do",
        "/XObject << /X 6 0 R >>",
        "",
        (
            stream(
                text(HIDDEN, AT),
                "/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
                " /Resources << /Font << /F1 3 0 R >> >>",
            ),
        ),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_words_that_a_page_does_not_show_are_not_its_text(way: str) -> None:
    content, resources, catalog, objects = WAYS[way]

    document = read_pdf(
        drawn(page(content), resources=resources, catalog=catalog, objects=objects)
    ).document

    assert document is not None
    assert document.text == f"{FIRST}\n{LAST}"
    assert document.missing == (MissingPiece(MissingKind.HIDDEN),)


FORM = "/Type /XObject /Subtype /Form /BBox [0 0 612 792]"
SHOWN: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "plain": (text(HIDDEN, AT), "", "", ()),
    "red": (f"1 0 0 rg {text(HIDDEN, AT)}", "", "", ()),
    "a size of one, enlarged": (
        f"12 0 0 12 72 660 cm {text(HIDDEN, (0, 0)).replace('12 Tf', '1 Tf')}",
        "",
        "",
        (),
    ),
    "white on blue": (
        f"0 0 1 rg 60 650 500 30 re f 1 g {text(HIDDEN, AT)}",
        "",
        "",
        (),
    ),
    "white on an image": (
        f"q 500 0 0 30 60 650 cm /I Do Q 1 g {text(HIDDEN, AT)}",
        "/XObject << /I 6 0 R >>",
        "",
        (IMAGE,),
    ),
    "white on a shape": (
        f"0 g 60 650 m 560 650 l 560 690 l 60 690 l h f 1 g {text(HIDDEN, AT)}",
        "",
        "",
        (),
    ),
    "white on a form without text": (
        f"/X Do 1 g {text(HIDDEN, AT)}",
        "/XObject << /X 6 0 R >>",
        "",
        (stream("0 g 60 650 500 30 re f", FORM),),
    ),
    "white in a mark of another colour": (
        f"/S cs 0 scn {text(HIDDEN, AT)}",
        "/ColorSpace << /S [/Separation /Gold /DeviceGray 6 0 R] >>",
        "",
        ("<< /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>",),
    ),
    "in a clip": (f"0 0 612 792 re W n {text(HIDDEN, AT)}", "", "", ()),
    "under a see-through box": (
        f"{text(HIDDEN, AT)} /G gs 1 1 0 rg 60 650 500 30 re f",
        "/ExtGState << /G << /ca 0.4 >> >>",
        "",
        (),
    ),
    "under a marker": (
        f"{text(HIDDEN, AT)} /G gs 1 1 0 rg 60 650 500 30 re f",
        "/ExtGState << /G << /BM /Multiply >> >>",
        "",
        (),
    ),
    "above a line": (f"{text(HIDDEN, AT)} 72 658 400 1 re f", "", "", ()),
    "a layer that is on": (
        f"/OC /L BDC {text(HIDDEN, AT)} EMC",
        "/Properties << /L 6 0 R >>",
        OFF.replace("/OFF", "/ON"),
        (LAYER,),
    ),
}


@pytest.mark.parametrize("way", SHOWN)
def test_words_that_a_page_shows_stay(way: str) -> None:
    content, resources, catalog, objects = SHOWN[way]

    document = read_pdf(
        drawn(page(content), resources=resources, catalog=catalog, objects=objects)
    ).document

    assert document is not None
    assert document.text == f"{FIRST}\n{HIDDEN}\n{LAST}"
    assert document.missing == ()


@pytest.mark.parametrize("is_beneath", [True, False])
def test_the_words_of_a_scan_are_read_and_said_to_be_recognised(
    *, is_beneath: bool
) -> None:
    image = "q 612 0 0 792 0 0 cm /I Do Q"
    mode = "3 Tr" if is_beneath else ""
    words = text(FIRST, AT, mode)
    content = f"{image} {words}" if is_beneath else f"{words} {image}"

    document = read_pdf(
        drawn(content, resources="/XObject << /I 6 0 R >>", objects=(IMAGE,))
    ).document

    assert document is not None
    assert document.text == FIRST
    assert document.missing == (MissingPiece(MissingKind.RECOGNISED),)


def test_part_of_a_line_can_be_hidden() -> None:
    line = "BT /F1 12 Tf 72 660 Td (It is) Tj 3 Tr [( not) -200 ( ever)] TJ 0 Tr ( so.) Tj ET"

    document = read_pdf(drawn(line)).document

    assert document is not None
    assert document.text == "It is so."


def test_a_page_that_hides_all_of_its_words_has_none() -> None:
    found = read_pdf(drawn(text(HIDDEN, AT, "3 Tr")))

    assert found.outcome is SourceOutcome.NOT_TEXT


def test_boxes_beyond_number_are_given_up() -> None:
    boxes = "0 g " + "60 650 500 30 re f " * 4_000
    many = " ".join(text("a", AT) for _ in range(1_000))

    found = read_pdf(drawn(boxes + many))

    assert found.outcome is SourceOutcome.INCOMPLETE


@pytest.mark.parametrize(
    "content",
    [
        "/X Do",
        "Q Q EMC BT /F9 Tf (a) Tj ET",
        "/OC BDC re W n f 1 rg (x) Tj",
        "/G gs /S cs sc scn Tr 3 3 k",
        "1 0 0 cm /I Do 0 0 re f",
    ],
)
def test_broken_operations_hide_nothing(content: str) -> None:
    found = read_pdf(drawn(f"q {content} Q {text(FIRST, AT)}"))

    assert found.document is None or FIRST in found.document.text
