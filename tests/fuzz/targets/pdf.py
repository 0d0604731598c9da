"""PDFs: bounded text with its pages, as the child process reads them."""

from bot.adapters.extraction.pdf import read_pdf
from tests.bot.extraction.pdf_files import pdf
from tests.fuzz.reading import fault_of_ours
from tests.fuzz.target import Target
from tests.fuzz.targets.web_page import sound

_GROWTH = 20_000_000  # streams are packed: the cap of pypdf's output is what bounds


def check(data: bytes) -> None:
    """Bounded text with page starts, or why there is none."""
    try:
        extraction = read_pdf(data)
    except Exception as error:
        if fault_of_ours(error):
            raise
        return
    sound(extraction, _GROWTH)


_PACKED = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]"
    b"/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
    b"/Resources<</Font<</F1 5 0 R>>>>>>endobj 4 0 obj<</Length 38/Filter/ASCIIHexDecode>>"
    b"stream\n4254202F46312039205466202841422920546A204554>\nendstream endobj 5 0 obj<</Type"
    b"/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)

TARGET = Target(
    name="pdf",
    promises="bounded text with the starts of its pages, or a named reason",
    check=check,
    words=(
        b"%PDF-1.4\n", b"1 0 obj", b"endobj\n", b"<<", b">>", b"stream\n", b"\nendstream",
        b"/Type", b"/Pages", b"/Kids[", b"/Count 1", b"/Parent 2 0 R", b"/Contents 4 0 R",
        b"/Resources", b"/Font", b"/Subtype/Type0", b"/Encoding", b"/ToUnicode 6 0 R",
        b"/Filter/FlateDecode", b"/Filter/ASCII85Decode", b"/Filter/LZWDecode",
        b"/Filter/RunLengthDecode", b"/DecodeParms<</Predictor 12/Columns 4>>", b"/Length 10",
        b"/Prev 0", b"/XRefStm 9", b"/ObjStm", b"/XRef", b"/W[1 2 1]", b"/Index[0 9]",
        b"/Encrypt 7 0 R", b"/V 1/R 2", b"/ID[<00><00>]", b"/Info 8 0 R", b"/Title(", b")",
        b"/CreationDate(D:20200101)", b"xref\n0 2\n", b"0000000000 65535 f \n", b"trailer",
        b"startxref\n0\n%%EOF", b"BT", b"ET", b"(AB) Tj", b"[(A)-250(B)] TJ", b"/F1 9 Tf",
        b"1 0 0 1 0 0 Tm", b"T*", b"Td", b"/X Do", b"BI", b"ID", b"EI", b"q", b"Q",
        b"beginbfchar", b"endbfchar", b"<41><D83D>", b"beginbfrange", b"endbfrange",
        b"beginbfrange <00> <ffffffff> <0041> endbfrange", b"\\ud800", b"-1", b"99999999999",
        b"0 R", b"null", b"true", b"[", b"]", b"/", b"%", b"\r\n", b"1e99",
    ),
    seeds=(
        pdf([["A line of words."], ["Another page"]], info="/Title (T) /Author (A)"),
        pdf([[]]), pdf([]), _PACKED,
        _PACKED.replace(b"/BaseFont/Helvetica", b"/Encoding/Identity-H/ToUnicode 6 0 R")
        + b"6 0 obj<</Length 50>>stream\nbeginbfchar <41><0042> <42><D83D> endbfchar\n"
        b"endstream endobj",
    ),
    longest_s=20.0,
)  # fmt: skip
