"""Lets the roles without a language model take part in the loop. Pure."""

from collections.abc import Sequence

from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import SourceReading, Subject, Update
from handlers.updates.aggregating import EmbeddedAggregator
from handlers.updates.extracting import EmbeddedExtractor
from handlers.updates.filing import filed
from handlers.updates.roles import Facts, Ruled, Turn


class EmbeddedFacts:
    """Fulfils `handlers.updates.roles.Extractor`: one candidate after the other."""

    def __init__(
        self,
        extractor: EmbeddedExtractor,
        aggregator: EmbeddedAggregator,
        lists: ReliabilityLists,
    ) -> None:
        """Take candidates by `extractor` and rule on them by `aggregator`."""
        self._extractor = extractor
        self._aggregator = aggregator
        self._lists = lists

    async def extract(
        self,
        subject: Subject,
        reading: SourceReading,
        search: str,
        found: Sequence[Update],
    ) -> Turn[Facts | None]:
        """Return what `reading`, which has a document, says that may be new."""
        turn = await self._extractor.extract(subject, reading, search)
        ruled, known = [], list(found)
        for one in turn.value.candidates:
            ruling = (await self._aggregator.rule(subject, one, known)).value
            known = list(filed(known, one, ruling, subject, self._lists).updates)
            ruled.append(Ruled(one, ruling))
        return Turn(Facts(tuple(ruled), turn.value.passed_over))
