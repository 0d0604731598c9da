"""Words to watch: each kind's words, with what excuses them and how sure one can be.

Few of these words are wrong wherever they stand. A rule therefore names the company in
which a reviewer would stop at them, and weighs how much of that is left where a footnote
or a named speaker is at hand. Pure.
"""

from handlers.review.checks.words.cliches import CLICHES
from handlers.review.checks.words.doubt import DOUBT
from handlers.review.checks.words.editorializing import EDITORIALIZING
from handlers.review.checks.words.euphemisms import EUPHEMISMS, SURVIVED_BY
from handlers.review.checks.words.labels import LABELS
from handlers.review.checks.words.places import UNSPECIFIED
from handlers.review.checks.words.puffery import PUFFERY
from handlers.review.checks.words.said import SAID
from handlers.review.checks.words.time import RELATIVE_TIME
from handlers.review.checks.words.tone import TONE
from handlers.review.checks.words.weasel import WEASEL

WATCHES = (
    PUFFERY,
    LABELS,
    WEASEL,
    DOUBT,
    EDITORIALIZING,
    SAID,
    EUPHEMISMS,
    CLICHES,
    RELATIVE_TIME,
    UNSPECIFIED,
    SURVIVED_BY,
    TONE,
)

__all__ = ["WATCHES"]
