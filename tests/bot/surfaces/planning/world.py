"""The whole loop in memory: findings, plans, posts, and people who edit meanwhile.

Store, planner, publisher and gate are the real ones; the wiki is the strict one in
memory. People's edits are whole pages, as they are on a wiki.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.daemon.runner import Runner
from bot.records.posts import Outcome, PostState, StoredPost
from bot.records.watches import ActiveWatch, IntendedPost, PlanKind
from bot.store import Store
from bot.surfaces.note import marks_in
from bot.surfaces.planning.planner import handlers, planning
from bot.surfaces.planning.posts import PlanningTools
from bot.surfaces.planning.recheck import requested_on
from bot.wiki.pages import Namespaces, PageText, namespaces
from bot.writing.gate import Wanted, always_wanted
from bot.writing.publisher import Publisher
from handlers.findings import Suggestion
from handlers.model import PageId
from tests.bot.store import runs
from tests.bot.surfaces.planning.makers import ARTICLE, PLACE, REPORT, TALK, WIKI, found
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import ModelSession, gate
from tests.bot.writing.model_wiki import BOT, LOCAL, ModelWiki, Revision


@dataclass
class ModelReader:
    """Reads the wiki in memory, as `WikiLists` reads a real one."""

    at: ModelWiki
    refused: frozenset[str] = frozenset()
    reads: list[str] = field(default_factory=list)
    lag: int = 0  # revisions that its copy of the database is behind

    async def namespaces(self) -> Namespaces:
        return namespaces(LOCAL)

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        self.reads.append(title)
        page = self.at.pages.get(title)
        if page is None:
            return None
        revisions = page.revisions[: len(page.revisions) - self.lag]
        if revision_id is not None:
            revisions = [each for each in revisions if each.number == revision_id]
        if not revisions:
            return None
        newest = revisions[-1]
        return PageText(
            title=title,
            namespace=page.namespace,
            page_id=1,
            revision_id=newest.number,
            text=newest.text,
            content_model=page.model,
            is_redirect=newest.text.startswith("#REDIRECT"),
            revised_at=newest.at,
        )

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        return frozenset(urls) & self.refused


@dataclass
class World:
    """A wiki with an article, somebody who watches it, and the bot."""

    store: Store
    at: ModelWiki = field(default_factory=ModelWiki)
    is_dry: bool = False
    checks: int = 0
    shown: list[str] = field(default_factory=list)
    wanted: Wanted = always_wanted

    def __post_init__(self) -> None:
        self.reader = ModelReader(self.at)
        self.tools = PlanningTools(
            self.store, KEYS, BOT, lambda _: self.reader, self.now, self.is_dry
        )
        self.planner = Runner(
            "planner",
            self.tools.store.tasks,
            planning(self.tools, handlers(self.tools)),
            self.tools.now,
            lambda: 0.0,
        )
        self.session = ModelSession(self.at)
        self.gate = gate(
            self.session,
            wanted=self.wanted,
            requested_on=requested_on(self.store),
            showing=self if self.is_dry else None,
        )
        self.publisher = Publisher(
            WIKI, self.store.outbox, self.gate, self.now, lambda: 0.0, 0
        )
        for task in ("talk", "report"):
            self.at.go(task)
        self.at.put(ARTICLE, "Die Uhr steht am Kai.<ref>Buch</ref>")
        self.at.put(PLACE, "{{watch}}")

    def now(self) -> datetime:
        return self.at.now

    def show(self, _post: object, text: str, _why_not: str) -> str:
        """Be the place where a dry run leaves pages."""
        self.shown.append(text)
        return "a file"

    # --- what happens -------------------------------------------------------------

    def watch(self, active_watch: ActiveWatch) -> None:
        self.store.watches.keep(active_watch, (), self.now())

    def check(self, *numbers: int, title: str = ARTICLE) -> None:
        """Check an article: these claims of it fail, all others are as they should be."""
        self.check_with([found(number, title) for number in numbers], title=title)

    def check_with(self, findings: list[Suggestion], title: str = ARTICLE) -> None:
        self.checks += 1
        run = runs.run(100 + self.checks, self.now(), title=title)
        here = PageId(WIKI, title, 1, 100 + self.checks, self.now())
        run = replace(run, page=replace(run.page, id=here))
        self.store.save_check(run, findings)

    async def plan(self) -> None:
        """Make all plans that are due."""
        while await self.planner.work_once():
            pass

    def publish(self) -> list[Outcome]:
        """Try all posts that are due."""
        outcomes = []
        while (outcome := self.publisher.publish_once()) is not None:
            outcomes.append(outcome)
        return outcomes

    async def go_on(self, minutes: float = 11) -> list[Outcome]:
        """Let time pass, then plan and publish."""
        self.at.pass_time(60 * minutes)
        await self.plan()
        return self.publish()

    async def replan(self, kind: PlanKind = PlanKind.REPORT) -> list[Outcome]:
        """Plan anew, as after an edit of somebody's, and publish."""
        subject = PLACE if kind is PlanKind.REPORT else ARTICLE
        self.store.plans.ask(
            [IntendedPost(kind, WIKI, subject, self.now())], self.now()
        )
        return await self.go_on()

    # --- what is there --------------------------------------------------------------

    @property
    def report(self) -> str:
        return self.at.text(REPORT)

    @property
    def talk(self) -> str:
        return self.at.text(TALK)

    def notes_on(self, title: str) -> list[int]:
        """Return the numbers of the notes that stand on a page."""
        if title not in self.at.pages:
            return []
        return [int(each[:8], 16) for each in marks_in(self.at.text(title), KEYS)]

    def own_edits(self) -> list[Revision]:
        return [each for each in self.at.edits if each.user == BOT]

    def posts(self, state: PostState) -> list[StoredPost]:
        return list(self.store.outbox.posts(wiki=WIKI, state=state))


def without_note(text: str, number: int) -> str:
    """Return a page without the lines of one note, as a person removes them."""
    lines = text.split("\n")
    start = next(
        at for at, line in enumerate(lines) if f"sidenote note {number:08x}" in line
    )
    end = start + 1
    while end < len(lines) and lines[end].startswith("*:"):
        end += 1
    return "\n".join(lines[:start] + lines[end:])
