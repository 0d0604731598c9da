"""An opt-in template is understood as far as it goes, and each slip has its remedy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.watches import Check, Period, Rate, Surface, WatcherKind
from bot.surfaces.opt_in.watch import Watch, read_watch
from tests.bot.wiki.markup.makers import BOT, WIKI, title
from tests.wikitext_bombs import BOMBS


def watch(arguments: str, place: str = "User:Alice/Sidenote") -> Watch:
    page = f"Hello.\n{{{{User:{BOT}/watch{arguments}}}}}\nGoodbye."
    found = read_watch(page, title(place), BOT, WIKI)
    assert found is not None
    return found


def texts(found: Watch) -> str:
    return "\n".join(str(fault) for fault in found.faults)


def test_a_whole_template_is_understood() -> None:
    found = watch(
        """
        | pages          = Oslo; Talk:Bergen
        | categories     = Bridges in Norway
        | checks         = citations, drift
        | surface        = report, gadget   <!-- report | gadget | talk -->
        | report         = User:Alice/Source report
        | interval       = 12 hours
        | max            = 5 per week
        | min-confidence = high
        | languages      = en, nb
        """
    )

    assert found.faults == ()
    assert found.kind is WatcherKind.USER
    assert found.watcher == "Alice"
    assert [each.text for each in found.pages] == ["Oslo", "Bergen"]
    assert [each.text for each in found.categories] == ["Category:Bridges in Norway"]
    assert found.checks == (Check.CITATIONS, Check.DRIFT)
    assert found.surfaces == (Surface.REPORT, Surface.GADGET)
    assert found.report == title("User:Alice/Source report")
    assert found.interval_s == 12 * 3_600
    assert found.most == Rate(5, Period.WEEK)
    assert found.min_confidence == 0.95
    assert found.languages == ("en", "nb")


@pytest.mark.parametrize(
    ("written", "pages"),
    [
        ("Washington, D.C.", ["Washington, D.C."]),
        (
            "[[Oslo]], [[Bergen (city)|Bergen]] and [[Moss]]",
            ["Oslo", "Bergen (city)", "Moss"],
        ),
        ("\n* Oslo\n* Bergen\n", ["Oslo", "Bergen"]),
        ("oslo; Oslo ;_Oslo_", ["Oslo"]),
        ("E=mc²", ["E=mc²"]),
        ("Oslo <!-- ; Bergen -->", ["Oslo"]),
        ("AT&amp;T", ["AT&T"]),
        (":Oslo", ["Oslo"]),
        ("WP:Signpost", ["Wikipedia:Signpost"]),
    ],
)
def test_pages_are_listed_as_people_list_them(written: str, pages: list[str]) -> None:
    found = watch(f"|pages={written}")

    assert [each.text for each in found.pages] == pages
    assert found.faults == ()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("|pages=Oslo|intervall=7d", "did you mean interval?"),
        ("|pages=Oslo|colour=red", "the parameters are: pages"),
        ("|Oslo", "has no parameter name: Oslo"),
        (
            "|pages=Oslo|interval=soon",
            "interval = soon: this was not understood; write a number and a unit, such as “12 hours”",
        ),
        ("|pages=Oslo|interval=400 days", "write 90 days or less"),
        ("|pages=Oslo|max=many", "“5 per week”"),
        ("|pages=Oslo|min-confidence=20%", "a share from 50% to 100%"),
        ("|pages=Oslo|surface=raport", "did you mean “report”?"),
        ("|pages=Oslo|surface=mail", "use one of: report, gadget, talk"),
        ("|pages=Oslo|checks=spelling", "use one of: citations"),
        ("|pages=Oslo|languages=English", "“english” is not a language code"),
        ("|pages=Oslo|report=User:Bob/Report", "write a subpage of User:Alice"),
        ("|pages=Oslo|report=Oslo", "write a subpage of User:Alice"),
        ("|pages=Oslo|report=User:Alice/common.js", "write a subpage of User:Alice"),
        ("|pages=Oslo|report=<b>", "write the title of a page in your own"),
        ("|pages=Oslo; A<b", "not a valid page title"),
        ("|pages=Oslo|pages=Bergen", "it is given twice"),
        ("|categories=User:X|pages=Oslo", "not a valid category name"),
        ("", "it names no pages to watch; write titles, such as pages = Oslo"),
        ("|pages= |surface=report", "it names no pages to watch"),
    ],
)
def test_each_mistake_is_reported_with_its_remedy(arguments: str, fault: str) -> None:
    assert fault in texts(watch(arguments))


def test_a_mistake_does_not_stop_the_rest() -> None:
    found = watch("|pages=Oslo; [[]]|max=x|interval=7d")

    assert [each.text for each in found.pages] == ["Oslo"]
    assert found.interval_s == 7 * 86_400
    assert found.most is None


def test_the_last_of_two_values_counts_even_if_it_is_wrong() -> None:
    assert watch("|pages=Oslo|max=5|max=x").most is None


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("at once", 0),
        ("0", 0),
        ("30 min", 1_800),
        ("1h", 3_600),
        ("Daily", 86_400),
        ("2 weeks", 1_209_600),
    ],
)
def test_spans_are_read_as_people_write_them(written: str, seconds: int) -> None:
    assert watch(f"|pages=Oslo|interval={written}").interval_s == seconds


@pytest.mark.parametrize(
    ("written", "rate"),
    [
        ("5", Rate(5)),
        ("5/week", Rate(5, Period.WEEK)),
        ("10 a month", Rate(10, Period.MONTH)),
    ],
)
def test_rates_are_read_as_people_write_them(written: str, rate: Rate) -> None:
    assert watch(f"|pages=Oslo|max={written}").most == rate


@pytest.mark.parametrize(
    ("written", "share"), [("90%", 0.9), ("0.9", 0.9), ("0,9", 0.9), ("Medium", 0.85)]
)
def test_confidence_is_read_as_people_write_it(written: str, share: float) -> None:
    assert watch(f"|pages=Oslo|min-confidence={written}").min_confidence == share


def test_a_talk_page_asks_for_its_own_article() -> None:
    found = watch("", "Talk:Oslo")

    assert found.kind is WatcherKind.PAGE
    assert found.pages == (title("Oslo"),)
    assert found.faults == ()


def test_a_talk_page_cannot_ask_for_others() -> None:
    found = watch("|pages=Bergen", "Talk:Oslo")

    assert found.pages == (title("Oslo"),)
    assert "can only request notes on its own article" in texts(found)


def test_an_archive_asks_for_nothing() -> None:
    found = watch("", "Talk:Oslo/Archive 3")

    assert found.pages == ()
    assert "this is an archive" in texts(found)


def test_a_project_asks_on_its_talk_page() -> None:
    place = "Wikipedia talk:WikiProject Bridges"
    found = watch(f"|pages=Oslo|report={place}/Notes", place)

    assert found.kind is WatcherKind.PROJECT
    assert found.watcher == "Wikipedia:WikiProject Bridges"
    assert found.report == title(f"{place}/Notes")
    assert found.faults == ()


@pytest.mark.parametrize(
    "place", ["Oslo", "Wikipedia:WikiProject Bridges", "Template:X"]
)
def test_nobody_speaks_for_an_article_or_a_template(place: str) -> None:
    assert "notes cannot be requested from this page" in texts(
        watch("|pages=Oslo", place)
    )


@pytest.mark.parametrize(
    "page",
    [
        "",
        "{{User:Other/watch|pages=Oslo}}",
        "<!-- {{User:SidenoteBot/watch|pages=Oslo}} -->",
        "<nowiki>{{User:SidenoteBot/watch|pages=Oslo}}</nowiki>",
        "{{User:SidenoteBot/watch|pages=Oslo",
        "{{User:SidenoteBot/watch/doc}}",
    ],
)
def test_a_page_without_the_template_asks_for_nothing(page: str) -> None:
    assert read_watch(page, title("User:Alice"), BOT, WIKI) is None


@pytest.mark.parametrize(
    "name", ["user:SidenoteBot/watch", "U:SidenoteBot/watch", ":User:SidenoteBot/watch"]
)
def test_the_template_has_many_names(name: str) -> None:
    page = f"{{{{{name}|pages=Oslo}}}}"
    found = read_watch(page, title("User:Alice"), BOT, WIKI)

    assert found is not None


def test_the_bots_own_pages_ask_for_nothing() -> None:
    page = f"{{{{User:{BOT}/watch|pages=Oslo}}}}"

    assert read_watch(page, title(f"User:{BOT}/watch/doc"), BOT, WIKI) is None


def test_of_two_templates_the_first_counts() -> None:
    call = f"{{{{User:{BOT}/watch|pages=%s}}}}"
    page = call % "Oslo" + call % "Bergen"
    found = read_watch(page, title("User:Alice"), BOT, WIKI)

    assert [each.text for each in found.pages] == ["Oslo"]
    assert "is on this page 2 times" in texts(found)


def test_the_answer_goes_behind_the_template_or_to_the_end_if_it_is_nested() -> None:
    assert watch("|pages=Oslo").answer_at == len(
        "Hello.\n{{User:SidenoteBot/watch|pages=Oslo}}"
    )
    page = f"{{{{box|{{{{User:{BOT}/watch|pages=Oslo}}}}}}}}"
    found = read_watch(page, title("User:Alice"), BOT, WIKI)

    assert found.answer_at is None


def test_a_list_of_thousands_is_cut_and_reported() -> None:
    found = watch(f"|pages={';'.join(f'A{number}' for number in range(1_500))}")

    assert len(found.pages) == 1_000
    assert "watch a category instead" in texts(found)


def test_a_value_without_end_is_refused() -> None:
    assert "longer than 20000 characters" in texts(watch(f"|pages={'x' * 30_000}"))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(BOMBS)), st.sampled_from(["pages", "max", "report", "x"]))
def test_whatever_is_written_is_answered(name: str, parameter: str) -> None:
    bomb = BOMBS[name](50)
    page = f"{{{{User:{BOT}/watch|{parameter}={bomb}|pages=Oslo}}}}"

    found = read_watch(page, title("User:Alice"), BOT, WIKI)

    assert found is None or all(fault.remedy for fault in found.faults)


def test_drafts_are_named_by_the_articles_they_are_for() -> None:
    found = watch("|drafts=Flood of 2026; [[AC/DC]]; node.js")

    assert found.faults == ()
    assert [each.text for each in found.drafts] == ["Flood of 2026", "AC/DC", "Node.js"]
    assert found.pages == ()


@pytest.mark.parametrize(
    "written",
    [
        "User:Bob",
        "Talk:Oslo",
        "Template:Oslo",
        "Category:Oslo",
        "a|b",
        "ø" * 120,
        "ø" * 115,
    ],
)
def test_of_what_is_no_article_no_draft_is_made(written: str) -> None:
    written = written.replace("|", "{{!}}")
    found = watch(f"|drafts=Oslo; {written}")

    assert [each.text for each in found.drafts] == ["Oslo"]
    assert "not a valid title for a draft" in texts(found)
    assert "write short article titles" in texts(found)


@pytest.mark.parametrize("place", ["Talk:Oslo", "Wikipedia talk:WikiProject Towns"])
def test_drafts_are_only_made_for_a_person(place: str) -> None:
    found = watch("|pages=Oslo|drafts=Bergen", place)

    assert found.drafts == ()
    assert "drafts can only be placed in a user’s own space" in texts(found)
    assert "a page in your own user space" in texts(found)
