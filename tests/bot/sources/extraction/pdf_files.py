"""Writes small PDFs by hand, so that tests say exactly what a file holds."""

from collections.abc import Sequence


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    info: str = "",
    trailer: str = "",
    resources: str = "",
) -> bytes:
    """Return a PDF with one line of text under another on each page."""
    count = len(pages)
    first = 4
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
        " /Encoding /WinAnsiEncoding >>",
    ]
    for n, lines in enumerate(pages):
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Resources << /Font << /F1 3 0 R >> {resources} >>"
            f" /Contents {first + 2 * n + 1} 0 R >>"
        )
        objects.append(stream(_drawn(lines)))
    if info:
        objects.append(f"<< {info} >>")
        trailer += f" /Info {len(objects)} 0 R"
    return _file(objects, trailer)


def drawn(
    content: str, *, resources: str = "", catalog: str = "", objects: Sequence[str] = ()
) -> bytes:
    """Return a PDF of one page with this content; `objects` begin at number 6."""
    return _file(
        [
            f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
            " /Encoding /WinAnsiEncoding >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
            f" /Resources << /Font << /F1 3 0 R >> {resources} >>"
            " /Contents 5 0 R >>",
            stream(content),
            *objects,
        ],
        "",
    )


def _drawn(lines: Sequence[str]) -> str:
    shown = "".join(f"({_escaped(line)}) Tj T* " for line in lines)
    return f"BT /F1 12 Tf 14 TL 72 720 Td {shown}ET" if lines else ""


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def stream(content: str, about: str = "") -> str:
    """Return a stream object; `about` are entries of its dictionary."""
    return f"<< {about} /Length {len(content)} >>\nstream\n{content}\nendstream"


def _file(objects: Sequence[str], trailer: str) -> bytes:
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("cp1252")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    return body + (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\n"
        f"startxref\n{len(body)}\n%%EOF\n"
    ).encode("cp1252")
