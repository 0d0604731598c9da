"""What belongs into each section of an article, without a language model (§3.1).

A section shows what it takes: by its heading, in the words that sections so called
share everywhere, and by what it says already, in the words, names and kinds of
sentences that set it apart from the article's other sections. Pure.
"""

from handlers.updates.criteria.embedded import EmbeddedCriteria
from handlers.updates.criteria.outline import outline_sha256

__all__ = ["EmbeddedCriteria", "outline_sha256"]
