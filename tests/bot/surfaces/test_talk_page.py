"""One section on a talk page; whoever answers there is never written over."""

from dataclasses import replace

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.watches import Policy
from bot.surfaces.messages import Words
from bot.surfaces.note import addresses
from bot.surfaces.talk_page import (
    EditKind,
    State,
    TalkEdit,
    TalkPlan,
    find_section,
    plan,
)
from bot.wiki.keys import Keys
from tests.bot.surfaces.makers import OTHER_POST, TALK, hostile, name, note, saved
from tests.bot.wiki.markup.corpora import hostile_texts
from tests.bot.wiki.markup.makers import KEYS

TALK_PAGE = "{{Talk header}}\n\n== Name ==\nWhy Oslo? Bob\n"
LATER = replace(TALK, post=OTHER_POST)


def edit_of(planned: TalkPlan) -> TalkEdit:
    assert planned.edit is not None
    return planned.edit


def posted(*numbers: int, page: str = TALK_PAGE) -> str:
    """Return a talk page after our first post."""
    notes = [note(number) for number in numbers]
    edit = edit_of(plan(page, notes, {}, TALK, KEYS, own=None))
    assert edit.kind is EditKind.NEW_SECTION
    return f"{page.rstrip()}{saved_part(edit.text)}"


def saved_part(text: str) -> str:
    return f"\n\n{saved(text)}"


def section(page: str) -> str:
    found = find_section(page, KEYS)
    return found.text


def applied(page: str, edit: TalkEdit) -> str:
    """Do what a wiki does with an edit of a section."""
    assert page.count(edit.expected) == 1
    if edit.kind is EditKind.ADD:
        text = f"{edit.expected.rstrip()}\n{edit.text.lstrip()}"
        return page.replace(edit.expected, saved(text))
    return page.replace(edit.expected, saved(edit.text))


def test_a_first_post_is_a_section_of_its_own() -> None:
    edit = edit_of(plan(TALK_PAGE, [note(1), note(2)], {}, TALK, KEYS, own=None))

    assert edit.kind is EditKind.NEW_SECTION
    assert edit.text.startswith(
        "\n\n== Statements that may need a check (November 2026) ==\n<!-- sidenote post "
    )
    assert edit.text.count("{{subst:User:SidenoteBot/note |kind=not supported ") == 2
    assert edit.text.count("{{subst:User:SidenoteBot/notice}}") == 1
    assert edit.text.endswith("\n~~~~")
    assert edit.added == (note(1).identity, note(2).identity)


def test_the_section_is_found_again_with_its_notes() -> None:
    found = find_section(f"{posted(1, 2)}\n\n== Next ==\nWords.", KEYS)

    assert found.number == 2
    assert found.text.startswith("== Statements")
    assert "Next" not in found.text
    assert found.states == {name(1): State.OPEN, name(2): State.OPEN}


def test_replies_under_a_heading_of_their_own_belong_to_the_section() -> None:
    page = f"{posted(1)}\n\n=== My answer ===\nWords of Bob.\n\n== Next ==\nMore."

    assert section(page).endswith("Words of Bob.\n\n")


@pytest.mark.parametrize(
    "page",
    [
        TALK_PAGE,
        f"<nowiki>{posted(1)}</nowiki>",
    ],
    ids=["no post", "quoted"],
)
def test_what_is_not_our_post_is_not_found(page: str) -> None:
    assert find_section(page, KEYS) is None


def test_a_post_of_another_bot_is_not_ours() -> None:
    theirs = Keys((b"another secret of somebody",))

    assert find_section(posted(1), theirs) is None


def test_a_later_finding_is_added_while_nobody_has_answered() -> None:
    page = posted(1)

    edit = edit_of(plan(page, [note(2)], {}, LATER, KEYS, own=section(page)))

    assert edit.kind is EditKind.ADD
    assert edit.section == 2
    assert section(applied(page, edit)).startswith(section(page).rstrip())
    found = find_section(applied(page, edit), KEYS)
    assert list(found.states) == [name(1), name(2)]


def test_a_finding_that_stands_there_is_not_added_again() -> None:
    page = posted(1)

    assert plan(page, [note(1)], {}, LATER, KEYS, own=section(page)).edit is None


def test_a_settled_note_is_taken_out_while_nobody_has_answered() -> None:
    page = posted(1, 2)
    settled = {note(1).identity: State.FIXED}

    edit = edit_of(plan(page, [], settled, LATER, KEYS, own=section(page)))

    assert edit.kind is EditKind.REPLACE
    assert edit.settled == (name(1),)
    after = applied(page, edit)
    assert "Claim 1 " not in after
    assert "Claim 2 " in after
    assert after.startswith(TALK_PAGE.rstrip())


def test_the_section_goes_when_all_is_settled() -> None:
    page = posted(1)
    settled = {note(1).identity: State.DISMISSED}

    edit = edit_of(plan(page, [], settled, LATER, KEYS, own=section(page)))

    assert edit.kind is EditKind.REMOVE
    assert applied(page, edit).rstrip() == TALK_PAGE.rstrip()


def test_what_is_settled_makes_room_for_what_is_new() -> None:
    page = posted(1)
    settled = {note(1).identity: State.FIXED}

    edit = edit_of(plan(page, [note(2)], settled, LATER, KEYS, own=section(page)))
    found = find_section(applied(page, edit), KEYS)

    assert edit.added == (note(2).identity,)
    assert list(found.states) == [name(2)]


def test_in_an_answered_section_only_the_state_is_set() -> None:
    page = posted(1, 2)
    own = section(page)
    answered = f"{page}\n:I looked and it is fine. Bob"

    edit = edit_of(
        plan(answered, [], {note(1).identity: State.FIXED}, LATER, KEYS, own=own)
    )

    assert edit.kind is EditKind.REPLACE
    fixed = (
        "<!-- sidenote state -->(the sentence has been changed)<!-- sidenote end -->"
    )
    still = "<!-- sidenote state -->(open)<!-- sidenote end -->"
    assert edit.text.replace(fixed, still, 1) == edit.expected
    assert edit.text.index(fixed) < edit.text.index(name(2))


def test_a_state_is_set_only_once() -> None:
    page = f"{posted(1)}\n:Bob"
    settled = {note(1).identity: State.FIXED}
    edit = edit_of(plan(page, [], settled, LATER, KEYS, own=None))

    assert plan(applied(page, edit), [], settled, LATER, KEYS, own=None).edit is None


def test_a_state_that_a_person_rewrote_is_theirs() -> None:
    page = f"{posted(1)}\n:Bob".replace("(open)", "(I disagree)")

    planned = plan(page, [], {note(1).identity: State.FIXED}, LATER, KEYS, own=None)

    assert planned.edit is None


def test_nothing_is_added_to_an_answered_section() -> None:
    page = posted(1)
    answered = f"{page}\n:Thanks. Bob"

    planned = plan(answered, [note(2)], {}, LATER, KEYS, own=section(page))

    assert planned == TalkPlan(None, "people have written in the section")


def test_of_a_section_that_is_there_twice_neither_is_edited() -> None:
    page = posted(1)
    twice = f"{page}\n\n{section(page)}"
    settled = {note(1).identity: State.FIXED}

    planned = plan(twice, [note(2)], settled, LATER, KEYS, own=section(page))
    assert planned == TalkPlan(None, "people have copied the section")
    assert plan(twice, [], {}, LATER, KEYS, own=section(page)) == TalkPlan(None)


def test_a_section_that_we_do_not_remember_counts_as_answered() -> None:
    planned = plan(posted(1), [note(2)], {}, LATER, KEYS, own=None)

    assert planned.edit is None


def test_a_section_that_lost_the_mark_of_its_post_is_known_by_its_notes() -> None:
    page = posted(1)
    start = page.index("<!-- sidenote post")
    cut = page[:start] + page[page.index("-->", start) + 3 :]

    assert list(section_states(cut)) == [name(1)]
    assert plan(cut, [note(2)], {}, LATER, KEYS, own=section(page)).edit is None


def section_states(page: str) -> list[str]:
    found = find_section(page, KEYS)
    return list(found.states) if found else []


_ANSWERS = st.lists(
    st.sampled_from(
        [
            "\n:Thanks. Bob",
            " words",
            "\n=== Sub ===\n",
            "<!-- sidenote end -->",
            "<!-- sidenote state -->",
            "<nowiki>",
            "{{a|",
            "(open)",
            "\n* more",
        ]
    ),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, max_examples=40)
@given(_ANSWERS, st.data())
def test_no_words_of_people_are_changed_in_an_answered_section(
    answers: list[str], data: st.DataObject
) -> None:
    page = posted(1, 2)
    own, changed = section(page), page
    for number, answer in enumerate(answers):
        at = data.draw(st.integers(len(TALK_PAGE) + 60, len(changed)))
        changed = f"{changed[:at]}{answer}human{number}q{changed[at:]}"
    settled = {note(1).identity: State.FIXED, note(2).identity: State.DISMISSED}

    edit = plan(changed, [note(3)], settled, LATER, KEYS, own=own).edit

    if edit is not None and edit.kind is not EditKind.NEW_SECTION:
        assert edit.kind is EditKind.REPLACE
        assert edit.expected in changed
        assert without_states(edit.text) == without_states(edit.expected)


def without_states(text: str) -> str:
    for state in State:
        text = text.replace(state.shown(Words()), "")
    return text


def test_states_are_in_the_language_of_the_wiki_whichever_stood_there_before() -> None:
    german = replace(LATER, language="de")
    page = posted(1, 2)
    settled = {note(1).identity: State.FIXED}

    for before in (page, page.replace("(open)", "(offen)")):
        edit = edit_of(plan(f"{before}\n:Bob", [], settled, german, KEYS, own=None))
        assert edit.text.count("(der Satz wurde geändert)") == 1
        assert "(the sentence" not in edit.text
    new = edit_of(plan("", [note(1)], {}, german, KEYS, own=None))
    assert "<!-- sidenote state -->(offen)<!-- sidenote end -->" in new.text


def test_no_models_words_are_posted_where_the_policy_is_to_point() -> None:
    one = note(fact="A fact.", wording="A wording.")

    edit = edit_of(plan("", [one], {}, TALK, KEYS, own=None))

    assert "A fact." not in edit.text
    assert "A wording." not in edit.text


def assert_harmless(raw: str) -> None:
    facts = replace(TALK, policy=Policy.WORDING, linkable=addresses([hostile(raw)]))
    edit = edit_of(plan("", [hostile(raw)], {}, facts, KEYS, own=None))

    found = mwparserfromhell.parse(edit.text)
    names = [str(each.name).strip() for each in found.filter_templates()]
    assert names == ["subst:User:SidenoteBot/notice", "subst:User:SidenoteBot/note"]
    call = found.filter_templates()[1]
    assert all(parameter.showkey for parameter in call.params)
    assert len(call.params) <= 17
    assert not any(each.value.filter_templates() for each in call.params)
    assert not found.filter_tags(matches=lambda tag: str(tag.tag) not in {"li"})
    assert len(found.filter_comments()) == 4
    assert len(found.filter_headings()) == 1
    assert edit.text.count("~~~") == 1
    assert edit.text.count("\n") == 6 - 1


def test_nothing_hostile_becomes_markup() -> None:
    for raw in hostile_texts()[::41]:
        if len(raw) < 300:
            assert_harmless(raw)


@settings(deadline=None, max_examples=30)
@given(st.text("[]{}<>|=*#:;'~_&/!-\n x\"", max_size=40))
def test_no_mixture_of_signs_becomes_markup(raw: str) -> None:
    assert_harmless(raw)
