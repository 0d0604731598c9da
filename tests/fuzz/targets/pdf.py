"""PDFs: bounded text with its pages, as the child process reads them."""

import base64 as b64
import struct
import zlib

from bot.sources.extraction.pdf import read_pdf
from tests.bot.sources.extraction.pdf_files import pdf
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


def _file(*objects: bytes, trailer: bytes = b"") -> bytes:
    """Write objects 1, 2, … with the table that says where they are."""
    body = b"%PDF-1.5\n"
    places = []
    for number, content in enumerate(objects, 1):
        places.append(b"%010d 00000 n \n" % len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    size = len(objects) + 1
    table = b"xref\n0 %d\n0000000000 65535 f \n" % size + b"".join(places)
    root = b"trailer\n<</Size %d/Root 1 0 R%b>>" % (size, trailer)
    return body + table + root + b"\nstartxref\n%d\n%%%%EOF\n" % len(body)


def _stream(content: bytes, about: bytes = b"") -> bytes:
    return b"<</Length %d%b>>stream\n%b\nendstream" % (len(content), about, content)


def _page(content: bytes, font: bytes, *more: bytes, trailer: bytes = b"") -> bytes:
    """Write one page with a stream and a font; `more` begin with object 6."""
    return _file(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 612 792]>>",
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>"
        b"/XObject<</X 6 0 R>>>>>>",
        content,
        font,
        *more,
        trailer=trailer,
    )


_PLAIN = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
_TYPE0 = (
    b"<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 6 0 R"
    b"/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/DW 500/W[1[500]]>>]>>"
)
_NAMED = (
    b"<</Type/Font/Subtype/Type1/BaseFont/B/FirstChar 65/LastChar 67/Widths[500 600 700]"
    b"/Encoding<</BaseEncoding/MacRomanEncoding/Differences[65/eacute/b 67/uni0141]>>>>"
)
_CMAP = (
    b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF>"
    b" endcodespacerange 2 beginbfchar <0041> <0042> <0042> <D83D> endbfchar 2 beginbfrange"
    b" <0043> <0045> <0061> <0046> <0047> [<0078> <D83DDE00>] endbfrange endcmap"
)
_WORDS = b"BT /F1 9 Tf 12 TL 1 0 0 1 72 720 Tm (AB words.) Tj T* [(C)-300(D)] TJ ET"
_GLYPHS = b"BT /F1 9 Tf <00410042004300440046004700FF> Tj ET"
_ROWS = b"".join(
    b"\x00" + _WORDS[at : at + 8].ljust(8) for at in range(0, len(_WORDS), 8)
)
_FLATE = b"/Filter/FlateDecode"
_TREE = (b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>")


def _cross_referenced() -> bytes:
    """Write a file whose objects and table are themselves in streams."""
    body, places = b"%PDF-1.5\n", []
    head = b"1 0 2 %d " % len(_TREE[0])
    about = b"/Type/ObjStm/N 2/First %d" % len(head) + _FLATE
    objects = {
        3: b"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>",
        4: _stream(zlib.compress(head + b"".join(_TREE)), about),
        5: _stream(_WORDS),
        6: _PLAIN,
    }
    for number, content in objects.items():
        places.append(len(body))
        body += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    entries = [(0, 0, 255), (2, 4, 0), (2, 4, 1), *((1, at, 0) for at in places)]
    entries.append((1, len(body), 0))
    table = b"".join(struct.pack(">BHB", *entry) for entry in entries)
    about = b"/Type/XRef/W[1 2 1]/Size 8/Root 1 0 R" + _FLATE
    last = b"7 0 obj\n%b\nendobj\n" % _stream(zlib.compress(table), about)
    return body + last + b"startxref\n%d\n%%%%EOF\n" % len(body)


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
        pdf([[]]), pdf([]),
        pdf([["A"]], info="/Title <FEFF0041D83D000A> /Author (A\\nB) /CreationDate (D:20201399)"),
        _page(_stream(_GLYPHS), _TYPE0, _stream(zlib.compress(_CMAP), _FLATE)),
        _page(_stream(_WORDS), _NAMED),
        _page(_stream(zlib.compress(_WORDS), _FLATE), _PLAIN),
        _page(_stream(zlib.compress(_ROWS), _FLATE + b"/DecodeParms<</Predictor 12/Columns 8>>"),
              _PLAIN),
        _page(_stream(b64.a85encode(zlib.compress(_WORDS)) + b"~>",
                      b"/Filter[/ASCII85Decode/FlateDecode]"), _PLAIN),
        _page(_stream(_WORDS.hex().encode() + b">", b"/Filter/ASCIIHexDecode"), _PLAIN),
        _page(_stream(bytes([len(_WORDS) - 1]) + _WORDS + b"\x80", b"/Filter/RunLengthDecode"),
              _PLAIN),
        _page(_stream(b"\x80\x0b\x60\x50\x22\x0c\x0c\x85\x01", b"/Filter/LZWDecode"), _PLAIN),
        _page(_stream(b"q BI /W 1 /H 1 /BPC 8 /CS /G ID \x00 EI Q /X Do"), _PLAIN,
              _stream(_WORDS, b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F1 5 0 R>>"
                      b"/XObject<</X 6 0 R>>>>")),
        _page(_stream(_WORDS), _PLAIN, b"<</Filter/Standard/V 1/R 2/P -4/O<" + b"00" * 32 + b">/U<"
              + b"11" * 32 + b">>>", trailer=b"/Encrypt 6 0 R/ID[<00><00>]"),
        _cross_referenced(),
    ),
    longest_s=20.0,
)  # fmt: skip
