"""The gate on a strict wiki in memory: what it writes, and all that it does not."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.wiki_session import NoAnswer, NotSent
from bot.on_wiki.keys import Purpose
from bot.on_wiki.summaries import with_key
from bot.posts import (
    Append,
    Create,
    NotNow,
    Post,
    Posted,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
    Shown,
    Unclear,
)
from bot.writing.local_pages import LocalPages
from tests.bot.on_wiki.makers import KEYS
from tests.bot.writing.makers import (
    ARTICLE,
    TALK,
    ModelSession,
    gate,
    no_answer,
    post,
    tried,
    wiki,
)
from tests.bot.writing.model_wiki import BOT, ModelWiki

_NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def _attempt(at: ModelWiki, of: Any = None, **session: Any) -> Any:
    return gate(ModelSession(at, **session)).attempt(tried(of or post()))


# --- what is written ----------------------------------------------------------


def test_a_post_is_appended_to_what_people_wrote() -> None:
    at = wiki()
    before = at.text(TALK)

    outcome = _attempt(at)

    assert outcome == Posted(at.pages[TALK].newest.number)
    assert at.text(TALK) == before + post().change.text
    assert at.pages[TALK].newest.comment == post().summary


def test_a_missing_talk_page_is_made() -> None:
    at = wiki()
    at.delete(TALK)
    at.pass_time(9)

    assert isinstance(_attempt(at), Posted)
    assert at.text(TALK) == post().change.text.lstrip("\n")


def test_the_first_look_is_one_request_beside_the_names() -> None:
    session = ModelSession(wiki())

    gate(session).attempt(tried(post()))

    assert [each.get("meta") for each in session.asked] == [
        "siteinfo",
        "tokens|userinfo",
    ]


def test_a_section_of_ours_is_replaced_and_nothing_else() -> None:
    at = wiki()
    at.put(TALK, "Kopf\n\n== Frage ==\nWelche?\n\n== Unser ==\nalt\n\n== Ende ==\nx")
    change = ReplaceSection(2, "== Unser ==\nalt\n\n", "== Unser ==\nneu")

    assert isinstance(_attempt(at, post(change=change)), Posted)
    assert at.text(TALK) == (
        "Kopf\n\n== Frage ==\nWelche?\n\n== Unser ==\nneu\n\n== Ende ==\nx"
    )


def test_a_stretch_of_a_user_page_is_replaced_and_nothing_else() -> None:
    at = wiki()
    page = "Benutzer:Ada/Bericht"
    at.put(page, "Meine Worte\n<!-- a -->alt<!-- b -->\nund mehr")
    change = ReplaceStretch("<!-- a -->alt<!-- b -->", "<!-- a -->neu<!-- b -->")

    assert isinstance(_attempt(at, post(title=page, change=change)), Posted)
    assert at.text(page) == "Meine Worte\n<!-- a -->neu<!-- b -->\nund mehr"


# --- where nothing is written ---------------------------------------------------


@pytest.mark.parametrize(
    ("title", "prepare"),
    [
        (TALK, lambda at: at.put(TALK, "#REDIRECT [[Uhr am Kai]]")),
        (TALK, lambda at: at.move(TALK, "Uhr am Kai (alt)")),
        ("Benutzer:Ada/x.js", lambda at: _with_model(at, "javascript")),
        ("Benutzer:Ada/x.js", lambda at: _with_model(at, "flow-board")),
    ],
    ids=["redirect", "moved to the articles", "script", "board"],
)
def test_a_page_that_is_not_what_it_seems_is_left_alone(
    title: str, prepare: Callable[[ModelWiki], object]
) -> None:
    at = wiki()
    prepare(at)

    outcome = _attempt(at, post(title=title))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE
    assert at.written == []


@pytest.mark.parametrize(
    "title",
    [
        f"Benutzer:{BOT}/Run/talk",
        f"Benutzer:{BOT}/Run",
        "Diskussion:Benutzer:Ada",
        "Diskussion:de:Uhr",
        "diskussion:Uhr am Kai",
        "Diskussion:uhr am Kai",
        "Talk:Uhr am Kai",
        "Diskussion: Uhr am Kai",
        "Diskussion:Uhr am Kai#Frage",
        "Diskussion:Uhr am Kai|Uhr am Kai",
        ":Diskussion:Uhr am Kai",
        ARTICLE,
        "Vorlage:Uhr",
        "MediaWiki:Common.js",
    ],
)
def test_nothing_is_written_outside_talk_and_user_pages(title: str) -> None:
    at = wiki()

    outcome = _attempt(at, post(title=title))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE
    assert at.written == []


def _with_model(at: ModelWiki, model: str) -> None:
    at.put("Benutzer:Ada/x.js", "var x;")
    at.pages["Benutzer:Ada/x.js"].model = model


def test_part_of_a_page_is_replaced_in_user_space_alone() -> None:
    at = wiki()

    outcome = _attempt(at, post(change=ReplaceStretch("Welche", "Diese")))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE


@pytest.mark.parametrize(
    "word",
    [
        "",
        "Run",
        "run!",
        "do not run",
        "running",
        "stop",
        "yes",
        "<!-- -->run",
        "run run",
        " run",
    ],
)
def test_anything_but_the_exact_word_stops_the_task(word: str) -> None:
    at = wiki()
    at.go("talk", word)

    outcome = _attempt(at)

    assert isinstance(outcome, NotNow)
    assert "stop page" in outcome.why
    assert at.written == []


def test_a_missing_stop_page_and_one_of_another_task_stop() -> None:
    missing, other = wiki(runs=False), wiki(runs=False)
    other.go("report")

    assert isinstance(_attempt(missing), NotNow)
    assert isinstance(_attempt(other), NotNow)


def test_a_stop_page_that_leads_elsewhere_stops() -> None:
    at = wiki()
    at.move(f"Benutzer:{BOT}/Run/talk", "Benutzer:Mallory/Run")

    assert isinstance(_attempt(at), NotNow)


def test_the_stop_page_is_read_before_every_write() -> None:
    at = wiki()
    session = ModelSession(at)
    made = gate(session)
    outcomes = []
    for number in range(100):
        at.go("talk", "run" if number % 2 else "halt")
        outcomes.append(made.attempt(tried(post(number))))

    assert [isinstance(each, Posted) for each in outcomes] == [False, True] * 50


@pytest.mark.parametrize("page", [TALK, ARTICLE])
@pytest.mark.parametrize(
    "template", ["{{nobots}}", f"{{{{bots|deny={BOT}}}}}", "{{bots|optout=all}}"]
)
def test_a_talk_page_and_an_article_can_keep_bots_away(
    page: str, template: str
) -> None:
    at = wiki()
    at.put(page, f"{template}\n{at.text(page)}")

    outcome = _attempt(at)

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.EXCLUDED
    assert template in outcome.why


def test_a_message_for_the_bot_and_a_block_halt_everything() -> None:
    spoken, blocked = wiki(), wiki()
    spoken.messages = True
    blocked.block = {"blockid": 7, "blockreason": "Fehler"}

    for at in (spoken, blocked):
        outcome = _attempt(at)
        assert isinstance(outcome, NotNow)
        assert outcome.halts


def test_a_post_that_the_article_has_overtaken_is_not_made() -> None:
    at = wiki()
    made = gate(
        ModelSession(at),
        wanted=lambda _, text: "" if "steht am Kai" in text else "it was fixed",
    )
    at.put(ARTICLE, "Die Uhr stand am Kai.")

    assert made.attempt(tried(post())) == Refused(Refusal.UNWANTED, "it was fixed")


def test_a_section_that_says_something_else_now_is_left_alone() -> None:
    at = wiki()
    at.put(TALK, "== Frage ==\nWelche?\n\n== Unser ==\nalt\n: Nein! --Ada")
    change = ReplaceSection(2, "== Unser ==\nalt", "")

    outcome = _attempt(at, post(change=change))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.CHANGED
    assert at.written == []


def test_a_section_with_another_number_is_left_alone() -> None:
    at = wiki()
    at.put(TALK, "== Neu ==\nx\n\n== Frage ==\nWelche?\n\n== Unser ==\nalt")
    change = ReplaceSection(2, "== Unser ==\nalt", "")

    assert isinstance(_attempt(at, post(change=change)), Refused)
    assert at.written == []


def test_a_post_without_its_key_in_the_summary_is_not_made() -> None:
    at = wiki()

    assert isinstance(_attempt(at, post(summary="Notice")), Refused)
    assert at.written == []


# --- what becomes of tries --------------------------------------------------------


def test_an_edit_that_comes_between_is_no_loss() -> None:
    at = wiki()

    def between(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        at.put(TALK, f"Oben!\n{at.text(TALK)}")
        return do()

    outcome = _attempt(at, on_edit=between)

    assert isinstance(outcome, NotNow)
    assert at.written == []
    assert isinstance(_attempt(at), Posted)


def test_a_lost_answer_is_unclear_and_then_found() -> None:
    at = wiki()

    assert isinstance(_attempt(at, on_edit=no_answer), Unclear)

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=_NOON, tries=2))
    assert outcome == Posted(at.pages[TALK].newest.number)
    assert at.written == [TALK]


@pytest.mark.parametrize("gone", ["removed", "moved", "overwritten"])
def test_a_post_is_found_whatever_people_did_with_it(gone: str) -> None:
    at = wiki()
    with_post = _attempt(at)
    if gone == "removed":
        at.put(TALK, "Leer")
    elif gone == "moved":
        at.move(TALK, "Diskussion:Archiv")
    else:
        at.pages[TALK].newest.comment = ""

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=_NOON, tries=2))

    assert outcome == with_post
    assert at.written == [TALK]


def test_a_post_on_a_page_that_was_deleted_is_not_made_again() -> None:
    at = wiki()
    at.delete(TALK)
    at.pass_time(5)
    _attempt(at)
    at.pass_time(5)
    at.delete(TALK)

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=_NOON, tries=2))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.GONE
    assert at.written == [TALK]


def test_a_key_that_somebody_else_put_there_does_not_count() -> None:
    at = wiki()
    token = KEYS.token(Purpose.POST, post().name)
    at.put(
        TALK,
        f"<!-- sidenote post {token} -->",
        "Mallory",
        with_key("Notice", post().name, KEYS),
    )

    outcome = gate(ModelSession(at)).attempt(tried(post(), before=_NOON, tries=2))

    assert isinstance(outcome, Posted)
    assert at.written == [TALK]


def test_a_request_that_never_left_is_certain() -> None:
    def unreachable(_: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        raise NotSent("no connection", retry_in_s=7)

    outcome = _attempt(wiki(), on_edit=unreachable)

    assert outcome == NotNow("no connection", 7)


def test_a_look_whose_answer_is_lost_has_written_nothing() -> None:
    def lost() -> None:
        raise NoAnswer("lost", retry_in_s=7)

    assert _attempt(wiki(), on_ask=lost) == NotNow("lost", 7)


def test_a_stop_page_that_cannot_be_read_stops() -> None:
    """Half of what was asked for comes back: the talk page, and no stop page."""

    class Forgetful(ModelSession):
        def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
            answer = super().ask(parameters)
            pages = answer.get("query", {}).get("pages", [])
            pages[:] = [each for each in pages if "/Run" not in each["title"]]
            return answer

    at = wiki()
    outcome = gate(Forgetful(at)).attempt(tried(post()))

    assert isinstance(outcome, NotNow)
    assert "stop page" in outcome.why
    assert at.written == []


def test_a_late_copy_of_a_try_finds_its_session_gone() -> None:
    at = wiki()
    late: list[Callable[[], dict[str, Any]]] = []

    def delayed(do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        late.append(do)
        raise NoAnswer("lost", retry_in_s=1)

    disk: dict[str, str] = {}
    before = at.text(TALK)
    _attempt(at, on_edit=delayed, disk=disk)
    again = gate(ModelSession(at, disk)).attempt(tried(post(), before=_NOON, tries=2))
    assert isinstance(again, Posted)
    at.put(TALK, before)  # a person does not want it

    [do] = late
    assert do()["error"]["code"] == "assertnameduserfailed"
    assert at.text(TALK) == before


def test_a_warning_of_a_filter_is_a_refusal_and_goes_with_its_session() -> None:
    at = wiki()
    at.errors = [{"error": {"code": "abusefilter-warning", "info": "Sure?"}}]
    session = ModelSession(at)

    outcome = gate(session).attempt(tried(post()))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.FILTER
    assert at.sessions == set()


# --- dry run ----------------------------------------------------------------------


def test_a_dry_run_leaves_the_page_in_a_file_and_the_wiki_alone(
    tmp_path: Path,
) -> None:
    at = wiki()
    before = at.text(TALK)
    showing = LocalPages(tmp_path, now=lambda: _NOON)
    made = gate(ModelSession(at, account=""), showing=showing)

    outcome = made.attempt(tried(post()))

    assert isinstance(outcome, Shown)
    assert Path(outcome.place).read_text("utf-8") == before + post().change.text
    assert Path(outcome.place).is_relative_to(tmp_path)
    assert at.written == []


def test_a_dry_run_tells_what_would_have_kept_the_edit_back(tmp_path: Path) -> None:
    at = wiki(runs=False)
    showing = LocalPages(tmp_path, now=lambda: _NOON)

    outcome = gate(ModelSession(at, account=""), showing=showing).attempt(tried(post()))

    assert isinstance(outcome, Shown)
    assert "stop page" in outcome.why_not
    [history] = tmp_path.rglob("*.history.txt")
    assert "stop page" in history.read_text("utf-8")


@pytest.mark.parametrize(
    "title", ["Diskussion:..", "Diskussion:a/../../b", "Diskussion:.", "x" * 300]
)
def test_no_title_leads_out_of_the_folder(tmp_path: Path, title: str) -> None:
    folder = tmp_path / "pages"
    showing = LocalPages(folder, now=lambda: _NOON)

    shown = Path(showing.show(post(title=title, wiki="../.."), "Text", ""))

    assert shown.resolve().is_relative_to(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_dry_run_needs_what_it_would_replace(tmp_path: Path) -> None:
    showing = LocalPages(tmp_path, now=lambda: _NOON)
    made = gate(ModelSession(wiki(), account=""), showing=showing)

    outcome = made.attempt(tried(post(change=ReplaceSection(1, "nowhere", "x"))))

    assert isinstance(outcome, Refused)
    assert list(tmp_path.iterdir()) == []


def test_an_appended_text_is_never_sent_as_a_whole_page() -> None:
    sent: list[dict[str, str]] = []

    class Recorded(ModelSession):
        def edit(self, parameters: Mapping[str, str]) -> dict[str, Any]:
            sent.append(dict(parameters))
            return super().edit(parameters)

    gate(Recorded(wiki())).attempt(tried(post(change=Append("\n\nText"))))

    [given] = sent
    assert "text" not in given
    assert given["appendtext"] == "\n\nText"
    assert not {"redirect", "pageid", "basetimestamp", "recreate"} & set(given)


_FOLDER = "Benutzer:Ada/Sidenote drafts/"


def _draft(**changes: Any) -> Post:
    made = post(
        title=f"{_FOLDER}Hafenuhr",
        task="draft",
        user="Ada",
        change=Create("== Uhr =="),
    )
    return replace(made, **changes)


def test_a_draft_makes_a_page_in_its_persons_folder() -> None:
    at = wiki()
    at.go("draft")

    assert isinstance(_attempt(at, _draft()), Posted)
    assert at.text(f"{_FOLDER}Hafenuhr") == "== Uhr =="


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Hafenuhr"},
        {"title": "Diskussion:Hafenuhr"},
        {"title": "Benutzer Diskussion:Ada/Sidenote drafts/Hafenuhr"},
        {"title": "Benutzer:Ada"},
        {"title": "Benutzer:Ada/Hafenuhr"},
        {"title": "Benutzer:Ada/Sidenote drafts"},
        {"title": "Benutzer:Ada/Sidenote drafts/"},
        {"title": f"{_FOLDER}../../Bo"},
        {"title": f"{_FOLDER}common.js"},
        {"title": "Benutzer:Bo/Sidenote drafts/Hafenuhr"},
        {"user": ""},
        {"user": "Ada/Sidenote drafts"},
        {"change": Append("== Uhr ==")},
        {"change": ReplaceStretch("a", "b")},
    ],
)
def test_a_draft_goes_nowhere_else_and_changes_no_page(
    changes: dict[str, object],
) -> None:
    at = wiki()
    at.go("draft")
    at.put(f"{_FOLDER}Notizen", "a")

    outcome = _attempt(at, _draft(**changes))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.PLACE
    assert at.written == []


def test_a_new_page_is_not_made_where_one_is() -> None:
    at = wiki()
    at.go("draft")
    at.put(f"{_FOLDER}Hafenuhr", "Mine.")

    outcome = _attempt(at, _draft())

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.CHANGED
    assert at.written == []
