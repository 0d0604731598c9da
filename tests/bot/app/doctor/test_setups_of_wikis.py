"""Set-ups whose wiki, or account there, is not as it should be."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.app.doctor.trial import Group, State
from bot.app.wiring.demo import ADMIN_TOKEN, BOT, PASSWORD
from tests.bot.app.doctor.place import (
    GENERAL,
    Place,
    SmallWiki,
    blocked,
    fault,
)
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.wiki.mediawiki import Wiki
from tests.rig.wiki.recorder import Recorder

mediawiki = pytest.mark.mediawiki


@mediawiki
async def test_a_wrong_password_is_named_and_not_shown(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host
    wrong = "wrong-password-of-thirty-two-let"

    found = await place.examine(Group.ACCOUNT, bot_password=wrong)

    problem = fault(found, "account")
    assert "refuses the login of “SidenoteBot”" in problem.seen
    assert "bot password" in problem.remedy
    assert wrong not in repr(found)


@mediawiki
async def test_a_blocked_account_is_reported_with_the_reason(
    place: Place, recorder: Recorder, wiki: Wiki
) -> None:
    place.wiki = recorder.host
    with blocked(wiki.host):
        found = await place.examine(Group.ACCOUNT)

    problem = fault(found, "block")
    assert "blocked by Admin: It posts nonsense" in problem.seen
    assert f"User talk:{BOT}" in problem.remedy


@mediawiki
async def test_rights_that_lack_or_are_too_many_are_listed(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host

    found = await place.examine(
        Group.ACCOUNT,
        bot_account=ADMIN,
        bot_login=f"{ADMIN}@sidenote",
        bot_password=ADMIN_TOKEN,
        deploy_account="Bob",
        deploy_password=PASSWORD,
    )

    assert "editinterface" in fault(found, "too many rights").seen
    assert "Special:BotPasswords" in fault(found, "too many rights").remedy
    assert "no bot flag" in fault(found, "bot flag").seen
    assert (
        "lacks the right to: edit the interface" in fault(found, "deploy_account").seen
    )
    unsigned = await place.examine(Group.ACCOUNT, bot_password="", posting="dry")
    assert not [one for one in unsigned if "too many" in one.name]
    # Nor has this account any of the pages that let it run.
    assert f"User:{ADMIN}/Run/talk" in fault(found, "run pages").seen


@mediawiki
async def test_what_people_wrote_to_steer_the_bot_is_read(
    place: Place, recorder: Recorder, wiki: Wiki
) -> None:
    place.wiki = recorder.host
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    stop = f"User:{BOT}/Run/talk"
    admin.edit(stop, "stop: too many notes")
    admin.edit("Project:Sidenote", '{"policy": "whatever"}')
    try:
        found = await place.examine(
            Group.ACCOUNT,
            community_page="Project:Sidenote",
            bot_watchlist_token="0" * 40,
        )
    finally:
        admin.edit(stop, "run")

    assert f"{stop} says “stop: too many notes”" in fault(found, "run pages").seen
    assert "policy" in fault(found, "community page").seen
    assert "Project:Sidenote" in fault(found, "community page").remedy
    assert "copy it again" in fault(found, "watchlist").remedy.lower()


@mediawiki
async def test_a_gadget_that_is_not_as_in_this_version(
    place: Place, recorder: Recorder
) -> None:
    place.wiki = recorder.host
    place.gadget = {
        "MediaWiki:Common.js": "var other = 2;",
        "MediaWiki:Gadget-nowhere.js": "var x = 1;",
        "MediaWiki:Gadgets-definition": "* sidenote",
    }

    found = await place.examine(Group.SERVING, panel_address="http://127.0.0.1:1")

    problems = [one for one in found if one.name == "gadget"]
    assert [one.state for one in problems] == [State.WARNING] * 3
    assert "lacks MediaWiki:Gadget-nowhere.js" in problems[0].seen
    assert "1 page of" in problems[1].seen
    assert "does not list it" in problems[2].seen
    assert all("sidenote gadget deploy" in one.remedy for one in problems)
    assert "cannot be reached" in fault(found, "panel").seen


async def test_a_wiki_that_is_down_keeps_the_account_from_being_tried(
    place: Place,
) -> None:
    found = await place.examine(Group.ACCOUNT)

    problem = fault(found, "127.0.0.1:1")
    assert "cannot be reached (connection refused)" in problem.seen
    assert "check the wiki's name" in problem.remedy.lower()
    assert [one.state for one in found if one.group is Group.ACCOUNT] == [State.SKIPPED]


async def test_a_page_of_html_is_no_api(place: Place) -> None:
    async with SmallWiki() as small:
        place.wiki = small.host
        found = await place.examine(Group.WIKI)

    problem = fault(found, small.host)
    assert "did not answer as a MediaWiki API does" in problem.seen
    assert "check the wiki's name" in problem.remedy.lower()


async def test_an_account_that_may_not_edit_and_a_wiki_that_is_too_old(
    place: Place,
) -> None:
    user = {"name": BOT, "groups": ["*"], "rights": ["read", "createtalk"]}
    answers: dict[str, Any] = {"general": GENERAL, "users": [user], "pages": []}
    async with SmallWiki(answers) as small:
        place.wiki = small.host
        found = await place.examine(Group.ACCOUNT, posting="dry", bot_password="")
        small.answers = {"general": {"generator": "MediaWiki 1.23.1"}}
        old = await place.examine(Group.WIKI)

    assert "lacks the right to: edit pages, create pages" in fault(found, "rights").seen
    assert "edit existing pages" in fault(found, "rights").remedy
    assert "too old" in fault(old, small.host).seen


async def test_a_clock_that_is_off_is_reported_with_how_much(place: Place) -> None:
    place.now = lambda: datetime.now(UTC) + timedelta(minutes=12)
    async with SmallWiki({"general": GENERAL}) as small:
        place.wiki = small.host
        found = await place.examine(Group.WIKI)

    assert "12 minutes behind ours" in fault(found, "clock").seen
    assert "timedatectl" in fault(found, "clock").remedy
