"""A report shows what is open, once, and is its owner's page before it is ours."""

from dataclasses import replace

from bot.records.posts import NotNow, Posted, PostState, Refused, Shown
from bot.records.watches import CommunityPage, NoteState, Rate
from bot.store import Store
from bot.surfaces.planning.posts import MOST_PER_PAGE
from tests.bot.store.made_posts import make
from tests.bot.surfaces.planning.makers import (
    ARTICLE,
    PLACE,
    REPORT,
    WIKI,
    found,
    watch,
)
from tests.bot.surfaces.planning.world import World, without_note
from tests.bot.writing.model_wiki import BOT

_DAY = 24 * 60


def _community(world: World, page: str) -> None:
    stored = CommunityPage(page, 1, world.now())
    world.store.communities.keep(WIKI, stored)


async def test_a_report_appears_and_the_same_plan_again_changes_nothing(
    world: World,
) -> None:
    world.watch(watch())
    world.check(1, 2)

    assert len(await world.go_on()) == 1
    assert world.notes_on(REPORT) == [1, 2]
    assert "2 notes as of" in world.report
    assert await world.replan() == []
    assert len(world.store.outbox.posts()) == 1


async def test_no_page_is_made_for_nothing(world: World) -> None:
    world.watch(watch())
    world.check()

    assert await world.go_on() == []
    assert REPORT not in world.at.pages


async def test_a_note_goes_when_its_sentence_is_fixed(world: World) -> None:
    world.watch(watch())
    world.check(1, 2)
    await world.go_on()

    world.check(2)
    await world.go_on()

    assert world.notes_on(REPORT) == [2]
    states = {
        each.identity: each.state for each in world.store.shown_notes.on(WIKI, REPORT)
    }
    assert states[found(1).identity] is NoteState.SETTLED
    world.check()
    await world.go_on()
    assert "There are no notes" in world.report


async def test_what_a_person_takes_away_never_comes_back(world: World) -> None:
    world.watch(watch())
    world.check(1, 2)
    await world.go_on()
    world.at.put(REPORT, without_note(world.report, 1))

    assert await world.replan() == []
    world.check(1, 2, 3)
    await world.go_on()

    assert world.notes_on(REPORT) == [2, 3]
    world.check(1, 2, 3, 4)
    await world.go_on(_DAY)
    assert world.notes_on(REPORT) == [2, 3, 4]


async def test_a_note_that_a_dry_run_showed_first_stays_away_as_well(
    store: Store,
) -> None:
    dry = World(store, is_dry=True)
    dry.watch(watch())
    dry.check(1, 2)
    await dry.go_on()
    world = World(store, dry.at, checks=dry.checks)
    await world.replan()
    [report] = world.posts(PostState.POSTED)
    for number in range(MOST_PER_PAGE):
        world.at.pass_time(60)
        later = replace(report.post, name=f"{number:064x}", plan=None, adds=())
        make(world.store, later, Posted(200 + number), world.now())
    world.at.put(REPORT, without_note(world.report, 1))

    world.check(1, 2, 3)
    await world.go_on()

    assert world.notes_on(REPORT) == [2, 3]


async def test_a_report_stays_ours_however_often_its_page_was_answered(
    world: World,
) -> None:
    world.watch(watch())
    world.check(1, 2)
    await world.go_on()
    [report] = world.posts(PostState.POSTED)
    for number in range(MOST_PER_PAGE):
        world.at.pass_time(60)
        answer = replace(
            report.post, name=f"{number:064x}", task="opt-in", plan=None, adds=()
        )
        make(world.store, answer, Posted(200 + number), world.now())
    world.at.put(REPORT, without_note(world.report, 1))

    world.check(1, 2, 3)
    await world.go_on()

    assert world.notes_on(REPORT) == [2, 3]


async def test_blanking_the_page_dismisses_all(world: World) -> None:
    world.watch(watch())
    world.check(1, 2)
    await world.go_on()
    world.at.put(REPORT, "")

    assert await world.replan() == []
    world.check(1, 2, 3)
    await world.go_on()

    assert world.notes_on(REPORT) == [3]


async def test_a_deleted_report_is_made_again_when_the_opt_in_is_edited(
    world: World,
) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()
    world.at.pass_time(600)
    world.at.delete(REPORT)

    assert await world.replan() == []
    world.check(1, 2)
    assert await world.go_on(2 * _DAY) == []
    world.at.put(PLACE, "{{watch|pages=more}}")
    await world.go_on(2 * _DAY)

    assert world.notes_on(REPORT) == [1, 2]


async def test_a_report_that_was_moved_is_let_go(world: World) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()
    world.at.move(REPORT, f"{REPORT} (old)")
    world.check(1, 2)

    assert await world.go_on() == []
    assert {each.state for each in world.store.shown_notes.on(WIKI, REPORT)} == {
        NoteState.OPEN
    }


async def test_peoples_words_around_and_in_the_report_stay(world: World) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()
    reply = "*:: I shall look. Ada"
    lines = world.report.split("\n")
    lines.insert(-1, reply)
    world.at.put(REPORT, "\n".join(["Above", *lines, "", "Below  "]))
    before = world.report

    assert await world.replan() == []
    assert world.report == before
    world.check(1, 2)
    await world.go_on()

    assert world.report.startswith("Above\n<!-- sidenote begin")
    assert world.report.endswith(f"end report -->\n{reply}\n\nBelow")


async def test_a_page_that_keeps_bots_away_gets_nothing_asked(world: World) -> None:
    world.at.put(REPORT, "{{nobots}}")
    world.watch(watch())
    world.check(1)

    for _ in range(5):
        assert await world.replan() == []

    assert world.store.outbox.posts() == ()


async def test_a_refused_post_is_not_asked_for_again_and_again(world: World) -> None:
    world.at.put(REPORT, "Mine")
    world.watch(watch())
    world.check(1)
    world.at.errors = [{"error": {"code": "protectedpage", "info": "x"}}] * 9

    refused = [len(await world.replan()) for _ in range(20)]

    assert sum(refused) == 1
    assert len(await world.go_on(2 * _DAY)) == 1
    assert [each.note for each in world.posts(PostState.REFUSED)]


async def test_what_waits_behind_a_stop_page_is_dropped_when_settled(
    world: World,
) -> None:
    world.watch(watch())
    world.at.go("report", "stop")
    world.check(1)
    assert isinstance((await world.go_on())[0], NotNow)

    assert await world.replan() != []
    assert len(world.store.outbox.posts()) == 1
    world.check()
    await world.go_on()

    [post] = world.store.outbox.posts()
    assert post.state is PostState.DROPPED


async def test_a_report_is_rewritten_once_in_ten_minutes(world: World) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()

    for number in range(2, 11):
        world.check(*range(1, number + 1))
        await world.go_on(1)

    assert len(world.own_edits()) == 1
    await world.go_on(1)
    assert len(world.own_edits()) == 2
    assert len(world.notes_on(REPORT)) == 10


async def test_a_clock_that_is_set_back_keeps_no_report_waiting(world: World) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()

    world.at.pass_time(-3600)
    world.check(1, 2)
    await world.go_on(0.1)  # before anybody noticed
    world.store.set_back(world.now())
    await world.go_on()

    assert world.notes_on(REPORT) == [1, 2]


async def test_a_digest_comes_once_a_day_and_what_is_fixed_goes_at_once(
    world: World,
) -> None:
    world.watch(watch(interval_s=86_400))
    world.check(1)
    await world.go_on()
    world.check(1, 2)
    assert await world.go_on(60) == []

    world.check(2)
    await world.go_on(60)

    assert world.notes_on(REPORT) == []
    assert "1 more note will follow" in world.report
    await world.go_on(_DAY)
    assert world.notes_on(REPORT) == [2]


async def test_a_watcher_gets_no_more_new_notes_than_they_want(world: World) -> None:
    world.watch(watch(most=Rate(2)))
    world.check(1, 2, 3)
    await world.go_on()

    assert len(world.notes_on(REPORT)) == 2
    assert "1 more note will follow" in world.report
    assert await world.go_on(120) == []
    await world.go_on(_DAY)
    assert len(world.notes_on(REPORT)) == 3


async def test_what_a_change_brings_has_room_beside_faults_from_of_old(
    world: World,
) -> None:
    world.watch(watch(most=Rate(5)))
    world.check(*range(1, 10))
    await world.go_on()
    assert len(world.notes_on(REPORT)) == 3

    world.check(*range(1, 11))
    await world.go_on(20)

    assert 10 in world.notes_on(REPORT)
    assert len(world.notes_on(REPORT)) == 4


async def test_a_community_limits_the_notes_of_a_wiki_not_those_of_one_article(
    world: World,
) -> None:
    _community(world, '{"limits": {"notesPerPage": 1, "notesPerWiki": 5}}')
    world.watch(watch(pages=(ARTICLE, "Turm")))
    world.check(1, 2)
    world.check(4, 5, 6, title="Turm")

    await world.go_on()

    assert world.notes_on(REPORT) == [1, 2, 4]


async def test_two_opt_ins_may_share_a_report(world: World) -> None:
    world.watch(watch())
    world.watch(watch(place=f"{PLACE} 2", pages=("Turm",)))
    world.check(1)
    world.check(2, title="Turm")
    await world.go_on()

    for _ in range(3):
        await world.replan()

    assert world.notes_on(REPORT) == [1, 2]
    assert len(world.own_edits()) == 1


async def test_an_address_that_the_wiki_refuses_is_shown_as_text(world: World) -> None:
    world.reader.refused = frozenset({"https://news.example/a"})
    world.watch(watch())
    world.check(1)
    world.check_with([found(1), found(2, source_keys=("https://b.example/",))])

    await world.go_on()

    assert "[https://b.example/ " in world.report
    assert "[https://news.example" not in world.report


async def test_nothing_is_judged_while_a_post_may_be_under_way(world: World) -> None:
    world.watch(watch())
    world.check(1)
    await world.plan()
    world.store.outbox.begin(world.now())
    world.check(1, 2)

    await world.go_on(0)
    reads = list(world.reader.reads)
    await world.go_on(0)

    assert world.reader.reads == reads
    assert len(world.store.outbox.posts()) == 1


async def test_a_copy_of_the_wiki_that_is_behind_dismisses_nothing(
    world: World,
) -> None:
    world.watch(watch())
    world.tools = replace(world.tools, rewrite_s=0)
    world.check(1)
    await world.go_on()
    world.check(1, 2)
    world.at.pass_time(660)
    await world.plan()
    world.reader.lag = 1
    world.publish()

    world.check(1, 2, 3)
    await world.go_on(1)

    assert {each.state for each in world.store.shown_notes.on(WIKI, REPORT)} == {
        NoteState.OPEN
    }


async def test_a_report_on_a_talk_page_keeps_to_its_section(world: World) -> None:
    place = "Projekt Diskussion:Uhren"
    title = f"{place}/Sidenote report"
    world.watch(watch(place=place, report=title))
    world.check(1)
    await world.go_on()
    world.at.put(title, f"{world.at.text(title)}\n\n== Thanks ==\nWell done. Ada")

    world.check(2)
    outcomes = await world.go_on()

    assert isinstance(outcomes[0], Posted)
    assert world.notes_on(title) == [2]
    assert world.at.text(title).endswith("\n== Thanks ==\nWell done. Ada")


async def test_who_opts_out_gets_nothing_more(world: World) -> None:
    world.watch(watch())
    world.check(1)
    await world.go_on()
    world.store.watches.end(WIKI, PLACE, world.now())

    world.check()

    assert await world.replan() == []


async def test_a_dry_run_shows_each_content_once(store: Store) -> None:
    world = World(store, is_dry=True)
    world.watch(watch())
    world.check(1)

    assert [type(each) for each in await world.go_on()] == [Shown]
    for _ in range(3):
        assert await world.replan() == []
    world.check(1, 2)
    assert len(await world.go_on()) == 1

    assert len(world.shown) == 2
    assert REPORT not in world.at.pages


async def test_after_a_dry_run_all_is_posted_once(store: Store) -> None:
    dry = World(store, is_dry=True)
    dry.watch(watch())
    dry.check(1)
    await dry.go_on()

    world = World(store, dry.at)
    world.checks = dry.checks
    outcomes = await world.replan()

    assert [type(each) for each in outcomes] == [Posted]
    assert world.notes_on(REPORT) == [1]
    assert await world.replan() == []
    assert all(each.user == BOT for each in world.own_edits())
    assert not any(isinstance(each, Refused) for each in outcomes)
