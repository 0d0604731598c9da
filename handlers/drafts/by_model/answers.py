"""The forms in which a model answers with a section or an article. Pure."""

from typing import Annotated

from pydantic import AfterValidator

from handlers.updates.by_model.asking import Few, Form, Line, line

_LONGEST_SENTENCE = 700  # characters of an answer's sentence that are looked at


def _sentence(text: str) -> str:
    return line(text, _LONGEST_SENTENCE)


class SentenceAnswer(Form):
    """A sentence, and the numbers of what it cites."""

    text: Annotated[str, AfterValidator(_sentence)]
    cites: Annotated[list[int], Few]


class ParagraphAnswer(Form):
    """A paragraph."""

    sentences: Annotated[list[SentenceAnswer], Few]


class SectionAnswer(Form):
    """One section, without its heading."""

    paragraphs: Annotated[list[ParagraphAnswer], Few]


class HeadedAnswer(Form):
    """A section of an article; the first has no heading."""

    heading: Line
    paragraphs: Annotated[list[ParagraphAnswer], Few]


class ArticleAnswer(Form):
    """A whole article."""

    sections: Annotated[list[HeadedAnswer], Few]
