"""What was asked for and what is set: watches, communities, settings. Pure."""

from collections.abc import Iterator

from bot.opt_in.community import Community, effective_entries, read_community
from bot.sight.situation import Situation
from bot.sight.views import Fact, Section, Table, shown_tables
from bot.store.sight import CommunitySight

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
    for number, one in enumerate(situation.sight.communities, 1):
        yield _community(f"community-{number}", one)


def _community(anchor: str, one: CommunitySight) -> Section:
    read = read_community(one.page.text) if one.page.text else None
    community = (read.community if read else None) or Community()
    is_own = read is not None and read.community is not None
    facts = [
        Fact("Read", one.page.read_at),
        Fact(
            "From",
            f"revision {one.page.revision_id}" if is_own else "the program's defaults",
        ),
        *(Fact("Fault", fault, is_bad=True) for fault in one.page.faults),
    ]
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
    title = f"Configuration of {one.wiki}"
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
