"""The embedded planner: the sections that articles of the kind have, as far as filled.

The paper's PRR lets a model plan the headings (§4). Without one the kind of thing that
the topic is tells which sections its article will have, and the documents which of
them can be filled. Pure; it awaits the encoder.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from handlers.drafts.embedded.choosing import filled, is_first_choice
from handlers.drafts.embedded.quarry import ENGINE
from handlers.drafts.embedded.sorting import sorted_under
from handlers.drafts.embedded.surveying import Survey, Surveyor
from handlers.model import Chunk, DraftDocument, Outline, PlannedSection, Topic
from handlers.ports import TextEncoder
from handlers.updates.roles import Turn

LEAD_WORDS = 140
_FEWEST_WORDS = 45  # of a section; fewer go to the next best
_MOST_WORDS = 100_000
_PLENTY = 1_500  # words of first choice, with which no section is made of others
_LEAD_WANTS = ("what it is, when and where it happened",)


class EmbeddedPlanner:
    """Fulfils `handlers.drafts.roles.Planner`."""

    def __init__(self, encoder: TextEncoder, surveyor: Surveyor | None = None) -> None:
        """Plan by `encoder`; share a `surveyor` with the writer to survey but once."""
        self._surveyor = surveyor or Surveyor(encoder)

    async def plan(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Turn[Outline]:
        """Return the lead and the sections that the documents can fill."""
        survey = await self._surveyor.survey(topic, documents, chunks)
        sections = await planned(survey, self._surveyor.encoder)
        return Turn(Outline(sections, ENGINE))


async def planned(survey: Survey, encoder: TextEncoder) -> tuple[PlannedSection, ...]:
    """Return the sections that a survey's quotes fill, each with its words."""
    said = filled(survey, range(len(survey.quotes)), _MOST_WORDS).at
    sure = [at for at in said if is_first_choice(survey, at)]
    spare = sorted({*said} - {*sure})
    counted = said if _length(survey, sure) < _PLENTY else sure
    sections = _expected(survey)
    while True:
        under = await sorted_under(survey, sections, encoder, survey.kind.rest)
        lengths = _lengths(survey, counted, under)
        thin = [one for one in sections if lengths[one.heading] < _FEWEST_WORDS]
        if not thin or len(sections) == 1:
            break
        least = min(thin, key=lambda one: lengths[one.heading])
        sections = tuple(one for one in sections if one is not least)
    words, more = _lengths(survey, sure, under), _lengths(survey, spare, under)
    return (
        PlannedSection("", _LEAD_WANTS, LEAD_WORDS),
        *(
            replace(one, words=words[one.heading], spare=more[one.heading])
            for one in sections
        ),
    )


def _lengths(
    survey: Survey, among: Sequence[int], under: Sequence[str]
) -> Counter[str]:
    """Return how many words stand under each heading."""
    lengths: Counter[str] = Counter()
    for at in among:
        lengths[under[at]] += len(survey.quotes[at].text.split())
    return lengths


def _length(survey: Survey, among: Sequence[int]) -> int:
    return sum(len(survey.quotes[at].text.split()) for at in among)


def _expected(survey: Survey) -> tuple[PlannedSection, ...]:
    known = tuple(
        PlannedSection(one.heading, (one.wants,)) for one in survey.kind.sections
    )
    rest = survey.kind.rest
    if not rest or any(one.heading == rest for one in known):
        return known
    return (PlannedSection(rest), *known)
