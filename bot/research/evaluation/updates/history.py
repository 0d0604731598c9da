"""Would update discovery have found what people added? `sidenote evaluate updates`.

WiNELL's own evaluation (§4, §5.2) on any wiki: the article as it was at the beginning
of some weeks, the facts with new sources that people added in these weeks, and what
discovery suggests if it may only use sources of the same weeks. The default is two
weeks at a time.

An edit counts if a person made it, it was not undone by the end, it brings words that
are more than spelling, and a source that was nowhere on the page (appendix A).
Revisions of one person within half an hour count as one edit, unlike in the paper:
people add a sentence first and its source a minute later. Facts that the sentence
stated before the edit are not counted.

`human_edits` shows how old the sources were (figure 1): the share of edits with a
source from their own year, and the days from a source's publication to its citation.
The date is taken from the citation; if that has none, and sources are read, from the
page. `source_of_their_period_share` is how many cited something from the same weeks:
the others were late, and discovery, which only sees those weeks, cannot find them.

Coverage, section accuracy and the paper's rows are those of `discovery`, with intervals
over pages. The oracle opens the addresses that people cited, whatever their date.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from bot.daemon.discoverer import Discoverer
from bot.research.evaluation.checkpoints import Results
from bot.research.evaluation.datasets import Data, Unscored
from bot.research.evaluation.report import EvaluationReport, Progress
from bot.research.evaluation.updates.coverage import (
    RESULT,
    Configuration,
    Edit,
    EventResult,
    Gold,
    Judge,
    Offer,
    Run,
    Suggested,
    answers_of,
    readable,
    recorded,
    run_of,
    sources_of,
)
from bot.research.evaluation.updates.discovery import GivenPages, cut_down
from bot.research.evaluation.updates.figures import (
    bars_of_histories,
    metrics_of_histories,
    rows_of_histories,
)
from bot.research.evaluation.updates.human_edits import (
    FactualEdit,
    HistoryReader,
    PageHistory,
    Period,
    StudiedPage,
    Study,
)
from bot.wiki.history import WikiHistory
from handlers.model import (
    Discovery,
    Found,
    ModelUse,
    PageId,
    Update,
    Window,
)
from handlers.ports import PermanentError, TemporaryError
from handlers.sources.addresses import normal_key
from handlers.updates.entailment import judged

_BOTH = (PermanentError, TemporaryError)


class Examiner:
    """Runs discovery on an article's past weeks."""

    def __init__(
        self,
        wiki: str,
        histories: WikiHistory,
        discoverer: Discoverer,
        judge: Judge,
        configurations: Sequence[Configuration],
    ) -> None:
        self._wiki = wiki
        self._histories = histories
        self._discoverer = discoverer
        self._judge = judge
        self.configurations = tuple(configurations)
        self.use = ModelUse()  # by the roles of a language model, in this process

    @property
    def engine(self) -> Mapping[str, str]:
        verifier, roles = self._discoverer.tools.verifier.engine, self._discoverer.roles
        players = (roles.criteria, roles.navigator, roles.extractor)
        return {
            "name": verifier.name,
            "version": verifier.version,
            "judge": f"{self._judge.engine.name} {self._judge.engine.version}",
            "roles": ", ".join(dict.fromkeys(type(one).__name__ for one in players)),
            "searches": ", ".join(one.name for one in self._discoverer.tools.searches),
        }

    async def result(
        self, page: StudiedPage, period: Period, history: PageHistory
    ) -> EventResult:
        before = await self._histories.revision_at(page.title, period.begins_at)
        if before is None or before.text is None:
            raise PermanentError(f"there is no text of {period.since} to begin with")
        page_id = PageId(
            self._wiki, page.title, None, before.note.revision_id, before.note.saved_at
        )
        edits = history.in_period(period)
        runs = {}
        for one in self.configurations:
            is_oracle = one is Configuration.ORACLE
            window = Window() if is_oracle else period.window
            player = self._player(one, edits if is_oracle else None, period.ends_at)
            found = await player.discover(before.text, page_id, window)
            self.use += found.use
            runs[one] = await self._run(found, edits)
        return EventResult(
            event=page.title,
            title=page.title,
            category=page.category,
            pages=len({address for one in edits for address in one.addresses}),
            sentences=sum(len(one.sentences) for one in edits),
            passed_over=0,
            gold=tuple(
                Gold(
                    " ".join(one.sentences), one.section, one.facts, (), has_source=True
                )
                for one in edits
            ),
            runs=runs,
        )

    def _player(
        self,
        configuration: Configuration,
        cited: Sequence[FactualEdit] | None,
        today: datetime,
    ) -> Discoverer:
        """Return discovery as of a day, over what people cited or by the settings."""
        tools = self._discoverer.tools
        if cited is not None:
            addresses = dict.fromkeys(one for edit in cited for one in edit.addresses)
            name = "what people cited"
            pages = [Found(one, None, "", 1.0, name) for one in addresses]
            tools = replace(tools, searches=(GivenPages(name, pages),))
        roles = cut_down(replace(self._discoverer.roles, editor=None), configuration)
        return replace(self._discoverer, roles=roles, tools=tools, now=lambda: today)

    async def _run(self, found: Discovery, edits: Sequence[FactualEdit]) -> Run:
        answers = await answers_of(
            found.subject.page.id.title,
            [Edit(one.section, one.facts) for one in edits],
            [Offer(one.number, one.text, one.section) for one in found.updates],
            judge=self._judge,
            encoder=self._discoverer.tools.encoder,
        )
        cited = {normal_key(address) for one in edits for address in one.addresses}
        suggested = [await self._suggested(found, one, cited) for one in found.updates]
        return run_of(found, suggested, answers)

    async def _suggested(
        self, found: Discovery, one: Update, cited: set[str]
    ) -> Suggested:
        sources = sources_of(one)
        likely = await judged(
            self._discoverer.tools.verifier,
            found.subject.page.id.title,
            one.text,
            [readable(sources[0][1])],
        )
        return recorded(
            one,
            cited,
            is_copy=False,
            is_quoted=any(one.text in text for _, text in sources),
            borne_out=likely.supported,
        )


async def evaluate(
    study: Study,
    history_reader: HistoryReader,
    examiner: Examiner | None,
    folder: Path,
    progress: Progress,
) -> EvaluationReport:
    """Measure discovery on the histories of pages."""
    every_period = study.periods
    periods = every_period if examiner else ()
    progress.started(len(study.pages) * (1 + len(periods)))
    known_histories = Results(folder / "histories", _HISTORY)
    known_results = Results(folder / "results", RESULT)
    histories: list[PageHistory] = []
    results: list[EventResult] = []
    unscored: list[Unscored] = []
    for number, page in enumerate(study.pages, start=1):
        names = (
            study.wiki,
            page.title,
            page.category,
            str(study.whole),
            history_reader.facts_by,
            str(history_reader.reads_dates),
        )
        try:
            history = known_histories.get(*names)
            if history is None:
                history = await history_reader.history(page, study.whole)
                known_histories.put(history, *names)
            histories.append(history)
            progress.advance()
            for period in periods:
                if examiner is not None and history.in_period(period):
                    made_with = (
                        *examiner.engine.values(),
                        *(one.value for one in examiner.configurations),
                    )
                    result = known_results.get(*names, str(period), *made_with)
                    if result is None:
                        result = await examiner.result(page, period, history)
                        known_results.put(result, *names, str(period), *made_with)
                    results.append(result)
                progress.advance()
        except _BOTH as error:
            unscored.append(Unscored(number, "pages", f"{page.title}: {error}"))
    if not histories:
        message = unscored[0].reason if unscored else "none was named"
        raise PermanentError(f"no page could be read; {message}")
    # The wiki has no file to identify it; the revisions that brought facts do.
    known_by = [
        [one.title, [edit.revision_id for edit in one.edits]] for one in histories
    ]
    digest = sha256(json.dumps(known_by).encode()).hexdigest()
    return EvaluationReport(
        "updates",
        Data(study.wiki, digest, len(study.pages), tuple(unscored)),
        {"facts": history_reader.facts_by, **(examiner.engine if examiner else {})},
        metrics_of_histories(
            histories, results, every_period, with_runs=examiner is not None
        ),
        about_data={
            "wiki": study.wiki,
            "since": study.since.isoformat(),
            "until": study.until.isoformat(),
            "days_in_a_period": study.days,
            "periods_with_edits": len(results),
            "revisions": sum(one.revisions for one in histories),
            "edits_of_sections": sum(one.edits_of_sections for one in histories),
            "edits_with_facts": sum(len(one.edits) for one in histories),
        },
        plots=bars_of_histories(histories, results),
        rows=rows_of_histories(histories, results),
    )


_HISTORY = TypeAdapter(PageHistory)
