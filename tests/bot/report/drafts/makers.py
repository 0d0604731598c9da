"""Drafts for tests, made of two short documents; all of it is made up."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime

from handlers.model import (
    Author,
    Chunk,
    CitedChunk,
    Disagreement,
    DocumentKind,
    Draft,
    DraftDocument,
    DraftMethod,
    DraftSection,
    DraftSentence,
    Engine,
    Evidence,
    Imprint,
    Left,
    LeftOut,
    Origin,
    Passage,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Span,
    Topic,
    WorthReading,
)

ENGINE = Engine("embedded-draft", "1")
FIRST = (
    "Harbour floods. The river Example burst its banks on 3 May 2024. Twelve people"
    " died in Port Example, the mayor said. Schools stayed shut for a week."
)
SECOND = "A year on. Fourteen people died in the Port Example flood, an inquiry found."
BURST = "The river Example burst its banks on 3 May 2024."
TWELVE = "Twelve people died in Port Example, the mayor said."
FOURTEEN = "Fourteen people died in the Port Example flood, an inquiry found."


def document(number: int, text: str, url: str = "", **changes: object) -> DraftDocument:
    """Return a news page that was read."""
    url = url or f"https://news{number}.example/flood?utm_source=x&id={number}"
    imprint = Imprint(
        kind=DocumentKind.NEWS,
        title=f"Flood report {number}",
        authors=(Author("Ann Example", "Example", "Ann"),),
        work="The Example Times",
        published="2024-05-04",
    )
    fetch = SourceFetch(
        Source(SourceForm.URL, url, url=url),
        SourceOutcome.READ,
        "read",
        origin=Origin.LIVE,
        url=url,
        read_at=datetime(2026, 11, 20, tzinfo=UTC),
        document=SourceText(text, title=f"Flood report {number}", imprint=imprint),
    )
    return DraftDocument(number, replace(fetch, **changes))  # type: ignore[arg-type]  # fields by name


def cited(document: DraftDocument, quote: str) -> CitedChunk:
    """Return a citation of `quote`, which stands in the document."""
    text = document.fetch.document.text if document.fetch.document else ""
    start = text.index(quote)
    span = Span(start, start + len(quote))
    whole = Span(0, len(text))
    key = document.fetch.source.key
    evidence = Evidence(Passage(key, text, whole), quote, span, (), 1.0)
    return CitedChunk(Chunk(document.number, 0, text, whole), evidence, 0.97)


def sentence(
    document: DraftDocument, quote: str, words: str | None = None
) -> DraftSentence:
    """Return a quote as a sentence, or a model's `words` that cite it."""
    is_quote = words is None
    return DraftSentence(
        words or quote, (cited(document, quote),), is_quote, date(2024, 5, 3)
    )


def draft(**changes: object) -> Draft:
    """Return a draft of a lead and one section; the two sources disagree."""
    first, second = document(0, FIRST), document(1, SECOND)
    burst, twelve = sentence(first, BURST), sentence(first, TWELVE)
    fourteen = sentence(second, FOURTEEN)
    default = Draft(
        topic=Topic("2024 Port Example flood"),
        method=DraftMethod.PRR,
        reranker="merged",
        engine=ENGINE,
        sections=(
            DraftSection("", ((burst,),)),
            DraftSection("Victims", ((twelve, fourteen),)),
        ),
        documents=(first, second, document(2, "Nothing here. It is not used.")),
        worth_reading=(WorthReading(1, ("Victims",), 3),),
        disagreements=(Disagreement(twelve, fourteen, 0.9, "number of dead"),),
        left_out=(LeftOut("https://blog.example/x", Left.UNRELIABLE, "a blog"),),
        troubles=("gdelt: busy",),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def worded() -> Draft:
    """Return a draft that a model wrote."""
    first = document(0, FIRST)
    words = sentence(first, TWELVE, "The mayor counted twelve dead.")
    return draft(
        sections=(DraftSection("Victims", ((words,),)),),
        disagreements=(),
        is_worded=True,
    )


def hostile(texts: Iterable[str]) -> Draft:
    """Return a draft in which each text stands wherever one of a document can."""
    texts = [one for one in texts if one.strip()]
    documents = tuple(
        _hostile(number, one) for number, one in enumerate(texts) if one.strip()
    )
    sentences = tuple(
        sentence(one, one.fetch.document.text)
        for one in documents
        if one.fetch.document
    )
    return draft(
        topic=Topic(texts[0], hint=texts[0]),
        sections=tuple(DraftSection(one.text, ((one,),)) for one in sentences),
        documents=documents,
        worth_reading=tuple(
            WorthReading(one.number, (texts[0],), 1) for one in documents
        ),
        disagreements=tuple(
            Disagreement(one, one, 0.9, one.text) for one in sentences[:50]
        ),
        left_out=tuple(LeftOut(one, Left.NOT_READ, one) for one in texts[:50]),
        troubles=tuple(texts[:50]),
    )


def _hostile(number: int, words: str) -> DraftDocument:
    base = document(number, words)
    imprint = Imprint(title=words, site=words, published=words, work=words)
    text = SourceText(words, title=words, site=words, imprint=imprint)
    url = f"https://a{number}.example/{words}" if " " not in words else None
    return replace(base, fetch=replace(base.fetch, document=text, url=url))
