"""A wiki in memory with people on it, and the planning of opt-ins over a real store."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.runner import Runner
from bot.records.posts import Post, Posted, Refusal, Refused, ReplaceSection, Shown
from bot.records.watches import ActiveWatch, IntendedPost, PlanKind
from bot.store import Store
from bot.surfaces.opt_in.refusal import exclusion
from bot.surfaces.planning.opt_ins import OptInRules, OptIns
from bot.surfaces.planning.page_lists import ListRules
from bot.surfaces.planning.planner import planning
from bot.surfaces.planning.posts import PlanningTools
from bot.wiki.answers import Revision, Slot
from bot.wiki.pages import (
    USER,
    ListedPage,
    ListedUser,
    Namespaces,
    PageText,
    namespaces,
)
from bot.writing.edit import edited
from bot.writing.preflight import CurrentPage
from handlers.ports import PermanentError
from tests.bot.wiki.markup.makers import BOT, KEYS

HOST = "wiki.example"
PLACE = "User:Ada/Sidenote"
COMMUNITY = "MediaWiki:Sidenote.json"
WATCH = f"{{{{User:{BOT}/watch|pages=Oslo; Bergen}}}}"
BOX = "<!-- sidenote begin state "  # how an answer begins
_LOCAL = {4: "Project", 5: "Project talk", 118: "Draft", 119: "Draft talk"}
_NAMES = namespaces(_LOCAL)
_LOOKS = 8  # at a page that a copy of the wiki's database may still have to show
_BEGAN = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass
class OptInWiki:
    """Pages, accounts and categories; counts what it is asked."""

    pages: dict[str, PageText] = field(default_factory=dict)
    users: dict[str, ListedUser] = field(default_factory=dict)
    categories: dict[str, tuple[str, ...]] = field(default_factory=dict)
    below: dict[str, tuple[str, ...]] = field(default_factory=dict)  # subcategories
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by who or what
    tokens: dict[str, str] = field(default_factory=dict)  # that the wiki takes
    facts: dict[str, ListedPage] = field(default_factory=dict)
    requests: list[tuple[str, object]] = field(default_factory=list)
    revision: int = 0
    saved_last: dict[str, PageText] = field(default_factory=dict)  # where others did
    strangers: set[str] = field(default_factory=set)  # who saved nothing themselves

    def put(self, title: str, text: str, *, model: str = "wikitext") -> PageText:
        self.revision += 1
        found = _NAMES.title(title)
        assert found is not None
        is_redirect = text.startswith("#REDIRECT")
        page = PageText(
            found.text,
            found.namespace,
            1,
            self.revision,
            text,
            model,
            is_redirect,
            _BEGAN,
        )
        self.pages[title] = page
        return page

    async def namespaces(self) -> Namespaces:
        return _NAMES

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        assert revision_id is None
        return self.pages.get(title)

    async def text_by(self, title: str, user: str) -> PageText | None:
        if user in self.strangers:
            return None
        return self.saved_last.get(user, self.pages.get(title))

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        names = tuple(titles)
        self.requests.append(("texts_of", names))
        return {title: self.pages[title] for title in names if title in self.pages}

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        assert title == f"User:{BOT}/watch"
        call = f"{{{{{title}"
        return tuple(name for name, page in self.pages.items() if call in page.text)

    async def members_of(
        self, category: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        self.requests.append(("members_of", (category, tuple(namespaces), most)))
        return self.categories.get(category, ())[:most]

    async def subcategories_of(
        self, category: str, *, depth: int, most: int
    ) -> tuple[str, ...]:
        self.requests.append(("subcategories_of", (category, depth, most)))
        return self.below.get(category, ())

    async def using(
        self, template: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        assert tuple(namespaces) == (1,)
        return self.lists.get(template, ())[:most]

    async def created_by(
        self, user: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        assert tuple(namespaces) == (0,)
        return self.lists.get(user, ())[:most]

    async def found_by(
        self, query: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        assert tuple(namespaces) == (0,)
        return self.lists.get(query, ())[:most]

    async def watched_by(
        self, user: str, token: str, *, namespaces: Collection[int] = (), most: int
    ) -> tuple[str, ...]:
        assert tuple(namespaces) == (0,)
        if self.tokens.get(user) != token:
            raise PermanentError("bad_wltoken")
        return self.lists.get(f"watched by {user}", ())[:most]

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        names = tuple(titles)
        self.requests.append(("facts_of", names))
        found = {}
        for title in names:
            page = self.pages.get(title)
            if title in self.facts:
                found[title] = self.facts[title]
            elif page is not None:
                empty: frozenset[str] = frozenset()
                found[title] = ListedPage(
                    title, page.namespace, empty, empty, page.is_redirect, 1
                )
        return found

    async def user(self, name: str) -> ListedUser | None:
        return self.users.get(name)

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        raise AssertionError(f"an answer links nowhere: {list(urls)}")


@dataclass
class World:
    """The wiki, the store, and what plans and posts between them."""

    store: Store
    wiki: OptInWiki
    is_dry: bool = False
    now: datetime = _BEGAN
    posts: list[Post] = field(default_factory=list)
    lists: ListRules = field(default_factory=ListRules)
    tools: PlanningTools = field(init=False)
    planner: Runner = field(init=False)

    def __post_init__(self) -> None:
        self.begin_anew()
        self.wiki.users |= {"Ada": ListedUser("Ada", 200, is_blocked=False)}
        for title in ("Oslo", "Bergen", "Moss"):
            self.wiki.put(title, "A town.")

    def begin_anew(self) -> None:
        """Plan as a process does that has just begun."""
        self.tools = tools = PlanningTools(
            self.store,
            KEYS,
            BOT,
            self._reader,
            lambda: self.now,
            self.is_dry,
        )
        rules = OptInRules(COMMUNITY, reread_s=3600, lists=self.lists)
        opt_ins = OptIns(tools, rules)
        self.planner = Runner(
            "planner",
            tools.store.tasks,
            planning(tools, {PlanKind.OPT_INS: opt_ins}),
            tools.now,
            lambda: 0.5,
        )

    def _reader(self, host: str) -> OptInWiki:
        assert host == HOST
        return self.wiki

    def watch(self, place: str = PLACE) -> ActiveWatch | None:
        return self.store.watches.get(HOST, place)

    def text(self, title: str = PLACE) -> str:
        return self.wiki.pages[title].text

    async def save(self, text: str, place: str = PLACE) -> None:
        """Save a page, and do what follows."""
        self.wiki.put(place, text)
        await self.plan(place)

    async def plan(self, subject: str = PLACE) -> list[Post]:
        """Make a plan and all that follow from it; publish; return the posts."""
        done = len(self.posts)
        intended_post = IntendedPost(PlanKind.OPT_INS, HOST, subject, self.now)
        self.store.plans.ask([intended_post], self.now)
        for _ in range(_LOOKS):
            while await self.planner.work_once() or self.publish():
                self.now += timedelta(seconds=1)
            if not self.store.plans.state().waiting.get(PlanKind.OPT_INS):
                break
            self.now += timedelta(seconds=20)
        assert not self.store.plans.failing()
        return self.posts[done:]

    def publish(self) -> bool:
        """Make the post that is due, as the gate does; `False` if none is."""
        attempt = self.store.outbox.begin(self.now)
        if attempt is None:
            return False
        post = attempt.post
        page = self.wiki.pages[post.title]
        seen = CurrentPage(
            title=page.title,
            ns=page.namespace,
            revisions=[Revision(revid=1, slots={"main": Slot(content=page.text)})],
        )
        whole = edited(seen, post)
        assert page.namespace == USER or isinstance(post.change, ReplaceSection)
        self.posts.append(post)
        outcome: Posted | Refused | Shown
        if isinstance(whole, Refused):
            outcome = whole
        elif self.is_dry:
            outcome = Shown("a folder")
        elif not exclusion(page.text, BOT).may_write:
            outcome = Refused(Refusal.EXCLUDED, "it keeps bots away")
        else:
            outcome = Posted(self.wiki.put(post.title, whole).revision_id)
        self.store.outbox.settle(attempt, outcome, self.now)
        return True


@pytest.fixture
def world(store: Store) -> World:
    return World(store, OptInWiki())


def standing(world: World, place: str = PLACE) -> ActiveWatch:
    watch = world.watch(place)
    assert watch is not None
    return watch
