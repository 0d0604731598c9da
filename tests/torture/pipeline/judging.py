"""Says at the end what was lost, doubled or changed, from the wiki and from the store."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.records.posts import PostState, Refusal, StoredPost
from bot.records.tasks import TaskState
from bot.records.watches import NoteState
from bot.store import Store
from bot.wiki.keys import Keys
from handlers.edits.finding import ChangedFinding
from handlers.review.copied import CopiedFinding
from tests.torture.pipeline.histories import (
    Revision,
    edits_of_the_bot,
    faults_of,
    history,
    names_in,
    notes_in,
    people_wrote_in_section,
)
from tests.torture.pipeline.people import People
from tests.torture.pipeline.scene import TALKED, TITLES
from tests.torture.pipeline.stage import SECRET, Stage

_USER = 2
_MOST_POSTS = 1_000_000
# Refusals that people cause by editing; any other is a fault of ours.
_FAIR = frozenset({Refusal.CHANGED, Refusal.GONE, Refusal.DELETED, Refusal.UNWANTED})
_EVER = datetime(2000, 1, 1, tzinfo=UTC)
_BAD_LEVELS = ("error", "critical")


@dataclass
class Verdict:
    """What was counted, and all that is wrong, in words."""

    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def unrecorded(store: Store) -> Iterator[str]:
    """Yield the notes that a post showed and of which the store does not know."""
    kept = store.outbox.posts(limit=_MOST_POSTS, state=PostState.POSTED)
    places = {(each.post.wiki, each.post.title) for each in kept if each.post.adds}
    for wiki, title in sorted(places):
        known = {each.identity for each in store.shown_notes.on(wiki, title)}
        added = {
            identity
            for each in kept
            if each.post.title == title
            for identity in each.post.adds
        }
        if added - known:
            yield f"{title}: {len(added - known)} notes are not recorded as shown"


@dataclass
class Judge:
    """Compares what the wiki holds, what the store knows and what people did."""

    stage: Stage
    store: Store
    people: People

    def __post_init__(self) -> None:
        self.keys = Keys((SECRET.encode(),))
        self.wiki = self.stage.recorder.host
        self.verdict = Verdict()

    def judge(self) -> Verdict:
        """Look at everything once all is at rest."""
        wrong, counts = self.verdict.wrong, self.verdict.counts
        histories = self._histories()
        for found in (
            self._left(),
            self._checks(),
            self._noted_edits(),
            self._edits(histories),
            self._posts(histories),
            self._reports(),
            self._talks(histories),
            self._lines(),
            self._problems(),
            self._log(),
        ):
            wrong += found
        recorder = self.stage.recorder
        outside = recorder.outside()
        wrong += [f"a write left talk and user pages: {one.request}" for one in outside]
        counts["writes beyond talk and user pages"] = len(outside)
        counts["writes that reached the wiki"] = len(recorder.writes)
        counts["requests lost or cut"] = recorder.lost
        return self.verdict

    def judge_dry(self) -> Verdict:
        """Look whether a dry run wrote nothing, and showed what it would have posted."""
        wrong, counts = self.verdict.wrong, self.verdict.counts
        writes, shown = self.stage.recorder.writes, self.store.outbox.counts()
        wrong += [f"a dry run wrote: {each.request}" for each in writes]
        counts["writes that reached the wiki"] = len(writes)
        counts["posts shown"] = shown[PostState.SHOWN]
        if not counts["posts shown"]:
            wrong.append("a dry run showed no post")
        wrong += self._log()
        return self.verdict

    # --- what is left ------------------------------------------------------------

    def _left(self) -> Iterator[str]:
        """Yield what should be done and is not, or was given up."""
        jobs = self.store.jobs.state().counts
        for state in (TaskState.WAITING, TaskState.LEASED):
            if jobs[state]:
                yield f"{jobs[state]} pages are {state.value}"
        for page in self.store.jobs.parked():
            yield f"{page.title} is parked: {page.reason}"
        for one in self.store.plans.failing():
            yield f"a plan fails: {one.intended_post.kind.name} {one.intended_post.subject}: {one.note}"
        letters = self.store.feeds.dead_letters()
        if letters:
            yield f"{len(letters)} changes could not be read"

    def _checks(self) -> Iterator[str]:
        """Yield the articles whose last state was not looked at, or not rightly."""
        for title in self._watched():
            _, newest = self.people.alice.read(title)
            last = self.store.last_check(self.wiki, title)
            if last is None or str(last.page.revision_id) != newest:
                yield f"the last change of {title} was not looked at"
            kept = self.store.suggestions_of(self.wiki, title)
            found = sorted(
                each.suggestion.claim
                for each in kept
                if each.suggestion.kind != CopiedFinding.kind
            )
            if found != sorted(self.people.articles[title].wrong):
                yield f"{title}: found {found}, not what is wrong there"

    def _noted_edits(self) -> Iterator[str]:
        """Yield the edits away from a source that are not noted, or noted still.

        An article that nobody watches for a while may lose such a note.
        """
        counted = self.store.noted_edits.counts(_EVER, self.wiki)
        self.verdict.counts["edits noted"] = sum(each.noted for each in counted)
        for title in self._watched():
            article = self.people.articles[title]
            noted = {
                each.suggestion.claim
                for each in self.store.suggestions_of(self.wiki, title)
                if each.suggestion.kind == ChangedFinding.kind
            }
            if left := noted.difference(article.wrong):
                yield f"{title}: {len(left)} notes of edits stand though reverted"
            if title in TALKED and (missing := set(article.away) - noted):
                yield f"{title}: {len(missing)} edits away from a source are not noted"

    def _watched(self) -> list[str]:
        names = (self.people.alice.name, self.people.bob.name)
        pages = {page for name in names for page in self.people.watched_by(name)}
        return [each for each in TITLES if each in pages or each in TALKED]

    # --- what was written --------------------------------------------------------

    def _histories(self) -> dict[str, list[Revision]]:
        edits = edits_of_the_bot(self.people.alice)
        self.verdict.counts["posts on the wiki"] = len(edits)
        for each in edits:
            if each.namespace != _USER and not each.namespace % 2:
                self.verdict.wrong.append(f"the bot edited {each.title}")
        reader = self.people.alice
        titles = sorted({each.title for each in edits})
        return {title: history(reader, title) for title in titles}

    def _edits(self, histories: dict[str, list[Revision]]) -> Iterator[str]:
        for title, states in histories.items():
            yield from faults_of(title, states, self.people.taken)

    def _posts(self, histories: dict[str, list[Revision]]) -> Iterator[str]:
        """Yield where wiki and store do not agree on what was posted."""
        named = [
            pair
            for states in histories.values()
            for pair in names_in(states, self.keys)
        ]
        counts = Counter(name for _, name in named)
        self.verdict.counts["posts doubled"] = len(named) - len(counts)
        for name, times in counts.items():
            if times > 1:
                yield f"{times} revisions of post {name!r}"
        kept = self.store.outbox.posts(limit=_MOST_POSTS)
        posted = [each for each in kept if each.state is PostState.POSTED]
        known = {each.post.name[:24]: each.revision_id for each in posted}
        for revision, name in named:
            if known.get(name) != revision:
                yield f"revision {revision} is not known to be posted ({name})"
        for name in known.keys() - counts.keys():
            yield f"post {name} is said to be posted, and is not on the wiki"
        self.verdict.counts["notes shown"] = sum(len(each.post.adds) for each in posted)
        yield from unrecorded(self.store)
        yield from self._states(kept)

    def _states(self, posts: tuple[StoredPost, ...]) -> Iterator[str]:
        states, counts = Counter(each.state for each in posts), self.verdict.counts
        counts["posts kept as posted"] = states[PostState.POSTED]
        counts["posts dropped for newer ones"] = states[PostState.DROPPED]
        counts["posts tried more than once"] = sum(each.tries > 1 for each in posts)
        for state in (PostState.WAITING, PostState.TRIED):
            if states[state]:
                yield f"{states[state]} posts are not settled ({state.value})"
        for each in posts:
            if each.state is PostState.REFUSED and each.refusal is not None:
                counts[f"posts refused: {each.refusal.value}"] += 1
                if each.refusal is Refusal.GIVEN_UP:
                    yield f"a post was given up after {each.tries} tries: {each.note}"
                elif each.refusal not in _FAIR:
                    yield f"a post was refused: {each.note}"

    # --- what people see ---------------------------------------------------------

    def _reports(self) -> Iterator[str]:
        for title, owner in self.people.reports.items():
            text, _ = owner.read(title)
            result = notes_in(text)
            gone = self._taken_from(title)
            identities = {
                each.identity[:24]
                for each in self.store.shown_notes.on(self.wiki, title)
            }
            wanted = self._open(self.people.watched_by(owner.name), identities) - gone
            if set(result) != wanted:
                more, less = set(result) - wanted, wanted - set(result)
                yield f"{title}: {len(more)} notes too many, {len(less)} missing"
            yield from self._dismissed(title, gone)

    def _talks(self, histories: dict[str, list[Revision]]) -> Iterator[str]:
        for article in TALKED:
            title = f"Talk:{article}"
            yield from self._dismissed(title, self._taken_from(title))
            yield from self._posted_twice(title)
            text, _ = self.people.bob.read(title)
            is_answered = people_wrote_in_section(histories.get(title, ()))
            notes = self.store.shown_notes.on(self.wiki, title)
            missing = self._open((article,)) - {each.identity[:24] for each in notes}
            if missing and not is_answered:
                yield f"{title}: {len(missing)} notes are missing"
            open_ = {
                each.identity[:24] for each in notes if each.state is NoteState.OPEN
            }
            stale = open_ - self._found(article)
            if stale and not is_answered:
                yield f"{title}: {len(stale)} notes stand though all is right again"
            lost = open_ - set(notes_in(text)) - self._taken_from(title)
            if lost:
                yield f"{title}: {len(lost)} notes that were posted are not there"

    def _found(self, title: str) -> set[str]:
        found = self.store.suggestions_of(self.wiki, title)
        return {each.suggestion.identity[:24] for each in found}

    def _posted_twice(self, title: str) -> Iterator[str]:
        kept = self.store.outbox.posts(limit=_MOST_POSTS, wiki=self.wiki, title=title)
        added = Counter(
            identity
            for each in kept
            if each.state is PostState.POSTED
            for identity in each.post.adds
        )
        for identity, times in added.items():
            if times > 1:
                yield f"{title}: note {identity} was posted {times} times"

    def _taken_from(self, title: str) -> set[str]:
        return {each.note for each in self.people.taken if each.title == title}

    def _open(
        self, titles: tuple[str, ...], identities: Collection[str] = ()
    ) -> set[str]:
        """Return the notes that are due: sure enough to be flagged, or `identities` shown already."""
        found = [
            each.suggestion
            for title in titles
            for each in self.store.suggestions_of(self.wiki, title)
        ]
        due = {one.identity[:24] for one in found if one.flag is not None}
        self.verdict.counts["findings too unsure to be posted"] += len(found) - len(due)
        return due | ({one.identity[:24] for one in found} & set(identities))

    def _dismissed(self, title: str, gone: set[str]) -> Iterator[str]:
        notes = self.store.shown_notes.on(self.wiki, title)
        self.verdict.counts["notes posted"] += len(notes)
        for each in notes:
            if each.state is NoteState.DISMISSED and each.identity[:24] not in gone:
                yield f"{title}: a note counts as dismissed that nobody took away"

    def _lines(self) -> Iterator[str]:
        """Yield the lines of people that do not stand where they wrote them, once."""
        for title, lines in self.people.lines.items():
            text, _ = self.people.alice.read(title)
            self.verdict.counts["lines of people that have to stand"] += len(lines)
            for line in lines:
                if text.count(line) != 1:
                    yield f"{title}: “{line}” stands there {text.count(line)} times"

    def _problems(self) -> Iterator[str]:
        """Yield the reports of problems that the ledger does not have."""
        kept = sum(self.store.status(datetime.now(UTC)).decided.reports.values())
        self.verdict.counts["problems in the ledger"] = kept
        if kept != len(self.people.problems):
            yield f"{len(self.people.problems)} problems were reported, {kept} are known"

    # --- what the daemon said ----------------------------------------------------

    def _log(self) -> Iterator[str]:
        """Yield the faults that the program logged itself."""
        for line in self.stage.log.read_text("utf-8", "replace").splitlines():
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
            except ValueError:
                yield f"the daemon said: {line[:300]}"
                continue
            event = str(entry.get("event", ""))
            self.verdict.counts[f"logged: {event}"] += 1
            if event.startswith("fault") or entry.get("level") in _BAD_LEVELS:
                yield f"the daemon said: {line[:800]}"
