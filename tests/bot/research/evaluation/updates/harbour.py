"""Events with articles and search results of our own making."""

from pathlib import Path
from typing import Any

from bot.research.evaluation.events import CitedPage, Event, FoundPage
from tests.bot.research.evaluation.rows import write

OPENING = "Harbour {n} is a harbour in Denmark."
BUILT = "In March 1874 the builder Ada Penrose put up the tower in Marstal."
SANK = "The ferry Odin sank off Esbjerg during the storm of 1911 with forty crew."
PAID = "King Christian paid Penrose nine hundred silver coins for her work in 1875."
KEPT = "A keeper lives in the tower and rows out whenever Svendborg sends a pilot."
TEXT = f"{OPENING}\n\nThe Tower \n{BUILT} {KEPT}\n\nShipping\n\nThe Odin \n{SANK} {PAID}\n\nReferences"
TELLS_OF_TOWER = (
    "The builder Ada Penrose put up a tower in the port of Marstal in March 1874."
)
TELLS_OF_FERRY = "In the storm of 1911 the ferry Odin sank off Esbjerg with forty crew."


def text_of(number: int) -> str:
    return TEXT.format(n=number)


def event(number: int = 1, *pages: str, text: str | None = None) -> Event:
    return Event(
        id=str(number),
        title=f"Harbour {number}",
        text=text or text_of(number),
        headings=("The Tower", "Shipping", "References"),
        pages=(CitedPage("A page", f"https://cited.example/{number}", "word " * 30),),
        found=tuple(
            FoundPage(f"https://news.example/{number}-{at}", f"Harbour {number}", page)
            for at, page in enumerate(pages)
        ),
    )


def page_of(*sentences: str) -> str:
    filler = "Many people of the islands came to the quay to see what had been done."
    return " ".join((*sentences, filler, filler))


def row(number: int, *pages: str) -> dict[str, Any]:
    return {
        "id": number,
        "article": {
            "key": f"Harbour {number}",
            "text": text_of(number),
            "outlines": ["The_Tower", "Shipping", "References"],
            "reference": [
                ["A page", f"https://cited.example/{number}", "some words " * 20]
            ],
        },
        "search_documents": [
            {
                "title": f"Harbour {number}",
                "link": f"https://news.example/{number}-{at}",
                "text": page,
            }
            for at, page in enumerate(pages)
        ],
    }


def file_of(tmp_path: Path, *rows: object) -> Path:
    return write(tmp_path / "events.jsonl.gz", rows)
