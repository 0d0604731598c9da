"""What the queue promises about turns, said without a database."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bot.records.tasks import Share, after_serving

ASKED = 0


@dataclass(order=True)
class Page:
    """A page that is due; ordered as urgent pages are."""

    urgency: int
    due: int
    name: str = field(compare=False)


@dataclass
class Model:
    """Pages by wiki and party, and what each of these had so far."""

    weights: Mapping[str, float] = field(default_factory=dict)
    waiting: dict[tuple[str, str], list[Page]] = field(default_factory=dict)
    root: Share = field(default_factory=Share)
    wikis: dict[str, Share] = field(default_factory=dict)
    tenants: dict[tuple[str, str], Share] = field(default_factory=dict)

    def put(self, wiki: str, tenant: str, page: Page) -> None:
        self.waiting.setdefault((wiki, tenant), []).append(page)
        self.wikis.setdefault(wiki, Share())
        self.tenants.setdefault((wiki, tenant), Share())

    def lease(self) -> tuple[str, str, Page] | None:
        due = {leaf: pages for leaf, pages in self.waiting.items() if pages}
        if not self.root.is_patient:
            urgent = {
                leaf: pages
                for leaf, pages in due.items()
                if min(pages).urgency == ASKED
            }
            due = urgent or due
        if not due:
            return None
        wiki, tenant = min(due, key=self._place)
        pages = due[wiki, tenant]
        oldest = self.tenants[wiki, tenant].is_patient
        page = (
            min(pages, key=lambda one: (one.due, one.urgency)) if oldest else min(pages)
        )
        pages.remove(page)
        self._charge(wiki, tenant)
        return wiki, tenant, page

    def _place(self, leaf: tuple[str, str]) -> tuple[float, str, float, str]:
        wiki, tenant = leaf
        return self.wikis[wiki].ends, wiki, self.tenants[leaf].ends, tenant

    def _charge(self, wiki: str, tenant: str) -> None:
        weight = self.weights.get(wiki, 1.0)
        root, here = after_serving(self.root, self.wikis[wiki], weight)
        leaf = (wiki, tenant)
        self.wikis[wiki], self.tenants[leaf] = after_serving(here, self.tenants[leaf])
        self.root = replace(root, served=root.served + 1)
