"""A made-up event in the form of WikiGenBench."""

from typing import Any

TITLE = "2022 Marstal bridge fire"
ARTICLE = (
    "The 2022 Marstal bridge fire was a fire on the old bridge of Marstal.\n\nThe fire\n"
    "The fire broke out on 3 May 2022 and destroyed two arches of the bridge. The fire"
    " brigade of Marstal put it out within six hours. Nobody was hurt."
)
NEWS = (
    "A fire broke out on the old bridge of Marstal on 3 May 2022.\n"
    "The Marstal bridge fire destroyed two of the seven arches of the bridge.\n"
    "The fire brigade of Marstal said that it had put out the fire within six hours.\n"
    "The mayor, Ada Penrose, said that the bridge would be closed until the summer.\n"
    + "You can read all of the news of the day in our paper.\n"
    * 50
)


def row(number: int, *texts: str) -> dict[str, Any]:
    pages = [
        {"link": f"https://news.example/{number}-{at}", "title": "Fire", "text": text}
        for at, text in enumerate(texts)
    ]
    article = {"key": TITLE, "text": ARTICLE}
    return {"id": number, "article": article, "search_documents": pages}
