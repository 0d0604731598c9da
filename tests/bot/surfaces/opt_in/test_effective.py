"""A watcher gets what they asked for within the wiki's limits, and is told the rest."""

import json

from bot.records.watches import Check, Period, Rate, Surface
from bot.surfaces.opt_in.community import read_community
from bot.surfaces.opt_in.effective import Effective, effective
from bot.surfaces.opt_in.watch import read_watch
from tests.bot.wiki.markup.makers import BOT, WIKI, title


def given(
    arguments: str = "|pages=Oslo",
    place: str = "User:Alice/Sidenote",
    **settings: object,
) -> Effective:
    page = f"{{{{User:{BOT}/watch{arguments}}}}}"
    watch = read_watch(page, title(place), BOT, WIKI)
    community = read_community(json.dumps(settings)).community
    assert watch is not None
    assert community is not None
    return effective(watch, community, WIKI)


def texts(state: Effective) -> str:
    return "\n".join(str(each) for each in state.limited)


def test_who_says_nothing_gets_the_defaults() -> None:
    state = given()

    assert state.is_active
    assert state.surfaces == (Surface.REPORT, Surface.GADGET)
    assert state.checks == (Check.CITATIONS, Check.BETTER_SOURCES, Check.DRIFT)
    assert state.report == title("User:Alice/Sidenote report")
    assert state.interval_s == 0
    assert state.most == Rate(25)
    assert state.min_confidence is None
    assert state.limited == ()


def test_who_says_something_gets_it() -> None:
    state = given("|pages=Oslo|max=5 per week|interval=7d|checks=drift|surface=gadget")

    assert state.most == Rate(5, Period.WEEK)
    assert state.interval_s == 7 * 86_400
    assert state.checks == (Check.DRIFT,)
    assert state.surfaces == (Surface.GADGET,)
    assert state.report is None
    assert state.limited == ()


def test_the_wikis_defaults_count_where_nothing_is_said() -> None:
    state = given(
        defaults={"surface": ["gadget"], "interval": "1 day", "minConfidence": "high"}
    )

    assert state.surfaces == (Surface.GADGET,)
    assert state.interval_s == 86_400
    assert state.min_confidence == 0.95


def test_limits_are_kept_and_reported() -> None:
    state = given(
        "|pages=Oslo; Bergen; Moss|interval=at once|max=20 per day|checks=citations, updates",
        limits={"pages": 2, "leastInterval": "1 hour", "max": "70 per week"},
    )

    assert len(state.pages) == 2
    assert state.interval_s == 3_600
    assert state.most == Rate(70, Period.WEEK)
    assert state.checks == (Check.CITATIONS,)
    assert "pages = 3: this wiki does not allow one template to list more" in texts(
        state
    )
    assert (
        "interval = at once: pages are not checked more often on this wiki; now 1 hour"
        in texts(state)
    )
    assert (
        "max = 20 per day: this wiki does not allow more notes; now 70 per week"
        in texts(state)
    )
    assert "checks = updates: it is not offered on this wiki" in texts(state)


def test_the_wording_is_for_who_asks_on_a_page_of_their_own() -> None:
    parameters, offered = (
        "|pages=Oslo|checks=citations, writing",
        ["citations", "writing"],
    )
    not_offered = given(parameters)
    own = given(parameters, checks=offered)
    article = given("|checks=citations, writing", "Talk:Oslo", checks=offered)
    unsaid = given("", "Talk:Oslo", checks=offered, defaults={"checks": offered})

    assert "checks = writing: it is not offered on this wiki" in texts(not_offered)
    assert own.checks == (Check.CITATIONS, Check.WRITING)
    assert own.limited == ()
    assert article.checks == unsaid.checks == (Check.CITATIONS,)
    assert "not on talk pages; request it from a page in your own" in texts(article)
    assert "writing" not in texts(unsaid)


def test_a_limit_that_nobody_met_is_not_reported() -> None:
    state = given(limits={"max": "3 per day", "leastInterval": "1 hour"})

    assert state.most == Rate(3)
    assert state.interval_s == 3_600
    assert state.limited == ()


def test_a_person_cannot_have_notes_put_on_the_talk_page_of_others() -> None:
    state = given("|pages=Oslo|surface=talk")

    assert state.surfaces == (Surface.REPORT, Surface.GADGET)
    assert "the talk page of the article must request it" in texts(state)


def test_a_wiki_can_let_persons_ask_for_the_talk_page() -> None:
    state = given("|pages=Oslo|surface=talk", usersMayAskForTalk=True)

    assert state.surfaces == (Surface.TALK,)
    assert state.limited == ()


def test_a_talk_page_gets_notes_on_itself() -> None:
    state = given("", "Talk:Oslo")

    assert state.is_active
    assert state.surfaces == (Surface.TALK, Surface.GADGET)
    assert state.report is None


def test_a_wiki_without_talk_posts_has_none() -> None:
    state = given("|surface=talk", "Talk:Oslo", surfaces=["gadget"])

    assert state.surfaces == (Surface.GADGET,)
    assert "this wiki does not allow it" in texts(state)


def test_a_project_gets_its_report_below_its_own_talk_page() -> None:
    state = given(place="Wikipedia talk:WikiProject Bridges")

    assert state.report == title("Wikipedia talk:WikiProject Bridges/Sidenote report")


def test_pages_of_other_namespaces_are_left_out_and_reported() -> None:
    state = given("|pages=Oslo; Help:Editing")

    assert state.pages == (title("Oslo"),)
    assert "their namespace is not checked" in texts(state)


def test_without_pages_nothing_is_done() -> None:
    assert not given("").is_active


def test_drafts_are_made_where_the_wiki_allows_them() -> None:
    state = given("|drafts=Oslo; Node.js", drafts=True)

    assert state.is_active
    assert not state.watches_pages
    assert [each.page.text for each in state.drafts] == [
        "User:Alice/Sidenote drafts/Oslo",
        "User:Alice/Sidenote drafts/Node.js (draft)",
    ]
    assert state.limited == ()


def test_a_wiki_that_says_nothing_of_drafts_allows_none() -> None:
    state = given("|drafts=Oslo; Moss")

    assert not state.is_active
    assert state.drafts == ()
    assert texts(state) == (
        "drafts = 2: this wiki does not allow it; now none are made"
    )


def test_a_wiki_limits_the_number_of_drafts() -> None:
    state = given("|drafts=Oslo; Moss; Bergen", drafts=True, limits={"drafts": 2})

    assert len(state.drafts) == 2
    assert "now the first 2" in texts(state)
