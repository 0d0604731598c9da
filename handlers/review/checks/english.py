"""Is a page in English, the only language whose words are listed? Pure."""

from handlers.citations.flagging import language_of
from handlers.documents.languages import language_of_text
from handlers.review.manuscript.paragraphs import Manuscript

_LOOKED_AT = 6_000  # characters


def is_english(manuscript: Manuscript) -> bool:
    """Tell by its words, and where they do not tell by its wiki."""
    text = ""
    for paragraph in manuscript.paragraphs:
        text += f"{paragraph.prose.text}\n"
        if len(text) > _LOOKED_AT:
            break
    told = language_of_text(text) or language_of(manuscript.page.id.wiki)
    return told in (None, "", "en", "simple")
