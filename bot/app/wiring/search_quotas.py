"""What search services were asked today, for people; asks none of them."""

from collections.abc import Mapping
from types import MappingProxyType

from bot.settings import Settings
from bot.settings.searching import SearchName
from handlers.model import Quota

_NAMES: Mapping[SearchName, str] = MappingProxyType(
    {
        SearchName.GDELT: "GDELT",
        SearchName.SEARXNG: "SearXNG",
        SearchName.BRAVE: "Brave",
        SearchName.SERPER: "Serper",
        SearchName.GOOGLE: "Google",
        SearchName.CROSSREF: "Crossref",
        SearchName.OPENALEX: "OpenAlex",
    }
)


def search_quotas(settings: Settings) -> tuple[Quota, ...]:
    """Return the quotas of the services that were asked from this data folder."""
    folder = settings.data_dir / "searches"
    if not folder.is_dir():
        return ()
    from bot.search.services.quota import Allowance, Meter  # noqa: PLC0415 - only where the web is searched

    return tuple(
        Meter(
            folder, name.value, Allowance(shown, per_day=settings.search_quota(name))
        ).quota()
        for name, shown in _NAMES.items()
        if (folder / f"{name.value}.json").exists()
    )
