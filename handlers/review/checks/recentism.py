"""Do the last few years fill an article about something much older (WP:RECENTISM)? Pure."""

import re
from collections.abc import Iterator

from handlers.model import Finding, FindingKind
from handlers.review.checks.placing import Fault, of_page
from handlers.review.manuscript.paragraphs import Manuscript
from handlers.review.manuscript.parts import Part

_YEAR = re.compile(r"(?<![\d.,/$£€-])(?:1[5-9]\d\d|20[0-4]\d)(?![\d,]|\.\d|-\d\d)")
# What says when the subject began, in the first sentences.
_BEGAN = re.compile(
    r"\b(?:born|founded|established|created|incorporated|formed|opened|built|launched"
    r"|started|begun|chartered|consecrated)\b[^.]{0,80}?\b(?P<year>1[5-9]\d\d|20[0-4]\d)\b"
)
_RECENT_YEARS = 5
_LEAST_AGE = 40  # years
_FEWEST_DATED = 20  # sentences
_SHARE = 0.65


def recentism(manuscript: Manuscript) -> Iterator[Finding]:
    """Yield a finding where most that is dated is of the last few years told of."""
    opening = " ".join(one.prose.text for one in manuscript.running(Part.LEAD))[:1_000]
    began = _BEGAN.search(opening)
    dated = [
        max(years)
        for paragraph in manuscript.running(Part.BODY)
        for sentence in paragraph.sentences
        if (years := [int(one) for one in _YEAR.findall(sentence.text)])
    ]
    if began is None or len(dated) < _FEWEST_DATED:
        return
    now = max(dated)
    recent = sum(year > now - _RECENT_YEARS for year in dated) / len(dated)
    age = now - int(began["year"])
    if age >= _LEAST_AGE and recent >= _SHARE:
        fault = Fault(
            FindingKind.RECENTISM,
            f"{recent:.0%} of the dated sentences are about the last {_RECENT_YEARS} of"
            f" {age} years.",
            "Tell more of the earlier years, and sum up the latest events.",
            "WP:RECENTISM",
            0.6,
            ("n_7", "bc_5"),
        )
        yield of_page(fault, manuscript)
