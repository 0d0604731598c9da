"""What was asked for and what is set: watches, communities, settings. Pure."""

from collections.abc import Iterator, Mapping

from bot.daemon.status.situation import Situation
from bot.daemon.status.views import Fact, Section, Table, shown_tables
from bot.records.watches import CommunityPage
from bot.surfaces.opt_in.community import Community, effective_entries, read_community

_USUAL = "default"


def watches_section(situation: Situation) -> Section:
    """Tell what people want watched."""
    table = Table(
        "Opt-ins in force",
        ("Wiki", "Pages", "By people", "By talk pages", "By projects", "Want talk"),
        tuple(
            (one.wiki, one.pages, *one.kinds.values(), one.talk)
            for one in situation.sight.watches
        ),
    )
    lede = "" if table.rows else "Nobody has opted in."
    return Section("watches", "Opt-ins", (), shown_tables(table), lede)


def communities_sections(situation: Situation) -> Iterator[Section]:
    """Tell, for each wiki, what is in force there."""
    for number, (wiki, page) in enumerate(pages_of(situation).items(), 1):
        yield _community(f"community-{number}", wiki, page)


def pages_of(situation: Situation) -> Mapping[str, CommunityPage | None]:
    """Return the configuration page of each wiki that is watched or has one."""
    found: dict[str, CommunityPage | None] = dict.fromkeys(
        one.wiki for one in situation.sight.watches
    )
    found |= {one.wiki: one.page for one in situation.sight.communities}
    return dict(sorted(found.items()))


def in_force(page: CommunityPage | None) -> tuple[Community, bool]:
    """Return what is in force, and whether the wiki itself says so."""
    read = read_community(page.text) if page and page.text else None
    if read is None or read.community is None:
        return Community(), False
    return read.community, True


def _community(anchor: str, wiki: str, page: CommunityPage | None) -> Section:
    community, is_own = in_force(page)
    source = "the program's defaults"
    if page and is_own:
        source = f"revision {page.revision_id} of the wiki's page"
    facts = [Fact("From", source)]
    if page:
        facts.append(Fact("Read", page.read_at))
        facts += [Fact("Fault", fault, is_bad=True) for fault in page.faults]
    table = Table(
        "All values in force",
        ("Name", "Value", "Whose", "Meaning"),
        tuple(
            (
                entry.name,
                entry.value,
                _USUAL if entry.is_default else "the wiki's",
                entry.meaning,
            )
            for entry in effective_entries(community)
        ),
        is_long=True,
    )
    title = f"Configuration of {wiki}"
    return Section(anchor, title, tuple(facts), shown_tables(_own(table), table))


def settings_section(situation: Situation) -> Section:
    """Tell all settings in force, secrets hidden."""
    means = situation.means
    table = Table(
        "All settings in force",
        ("Name", "Value", "Whose", "Meaning"),
        tuple(
            (
                one.name,
                one.value,
                _USUAL if one.is_default else "set",
                one.meaning,
            )
            for one in means.settings
        ),
        is_long=True,
    )
    facts = (
        Fact("Version", means.version),
        Fact("Posting", "live" if means.is_live else "dry run"),
        Fact("Account", means.account or None),
    )
    tables = shown_tables(_own(table), table)
    return Section("settings", "Settings", facts, tables)


def _own(table: Table) -> Table:
    """Return the rows of `table` whose value is not the default."""
    rows = tuple(
        (name, value) for name, value, whose, _ in table.rows if whose != _USUAL
    )
    return Table("Other than the default", ("Name", "Value"), rows)
