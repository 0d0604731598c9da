"""The gate writes what was wanted, once, and to talk and user pages alone."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.records.posts import (
    Append,
    Create,
    NotNow,
    Post,
    Posted,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
)
from bot.writing.dry_run import LocalPages
from tests.bot.writing.makers import (
    ARTICLE,
    NOON,
    TALK,
    ModelSession,
    attempt,
    gate,
    post,
    tried,
    wiki,
)
from tests.bot.writing.model_wiki import BOT, ModelWiki

# --- what is written ----------------------------------------------------------


def test_a_post_is_appended_to_what_people_wrote() -> None:
    at = wiki()
    before = at.text(TALK)

    outcome = attempt(at)

    assert outcome == Posted(at.pages[TALK].newest.number)
    assert at.text(TALK) == before + post().change.text
    assert at.pages[TALK].newest.comment == post().summary


def test_a_missing_talk_page_is_made() -> None:
    at = wiki()
    at.delete(TALK)
    at.pass_time(9)

    assert isinstance(attempt(at), Posted)
    assert at.text(TALK) == post().change.text.lstrip("\n")


def test_the_first_read_is_one_request_beside_the_names() -> None:
    session = ModelSession(wiki())

    gate(session).attempt(tried(post()))

    assert [each.get("meta") for each in session.requests] == [
        "siteinfo",
        "tokens|userinfo",
    ]


def test_a_section_of_ours_is_replaced_and_nothing_else() -> None:
    at = wiki()
    at.put(TALK, "Kopf\n\n== Frage ==\nWelche?\n\n== Unser ==\nalt\n\n== Ende ==\nx")
    change = ReplaceSection(2, "== Unser ==\nalt\n\n", "== Unser ==\nneu")

    assert isinstance(attempt(at, post(change=change)), Posted)
    assert at.text(TALK) == (
        "Kopf\n\n== Frage ==\nWelche?\n\n== Unser ==\nneu\n\n== Ende ==\nx"
    )


def test_a_stretch_of_a_user_page_is_replaced_and_nothing_else() -> None:
    at = wiki()
    page = "Benutzer:Ada/Bericht"
    at.put(page, "Meine Worte\n<!-- a -->alt<!-- b -->\nund mehr")
    change = ReplaceStretch("<!-- a -->alt<!-- b -->", "<!-- a -->neu<!-- b -->")

    assert isinstance(attempt(at, post(title=page, change=change)), Posted)
    assert at.text(page) == "Meine Worte\n<!-- a -->neu<!-- b -->\nund mehr"


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


# --- who stops it ---------------------------------------------------------------


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

    outcome = attempt(at)

    assert isinstance(outcome, NotNow)
    assert "stop page" in outcome.why
    assert at.written == []


def test_a_missing_stop_page_and_one_of_another_task_stop() -> None:
    missing, other = wiki(runs=False), wiki(runs=False)
    other.go("report")

    assert isinstance(attempt(missing), NotNow)
    assert isinstance(attempt(other), NotNow)


def test_a_stop_page_that_leads_elsewhere_stops() -> None:
    at = wiki()
    at.move(f"Benutzer:{BOT}/Run/talk", "Benutzer:Mallory/Run")

    assert isinstance(attempt(at), NotNow)


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


def test_the_stop_page_is_read_before_every_write() -> None:
    at = wiki()
    session = ModelSession(at)
    write_gate = gate(session)
    outcomes = []
    for number in range(100):
        at.go("talk", "run" if number % 2 else "halt")
        outcomes.append(write_gate.attempt(tried(post(number))))

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

    outcome = attempt(at)

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.EXCLUDED
    assert template in outcome.why


def test_a_block_halts_everything() -> None:
    at = wiki()
    at.block = {"blockid": 7, "blockreason": "Fehler"}

    outcome = attempt(at)

    assert outcome.halts


def test_a_message_for_the_bot_stops_nothing() -> None:
    at = wiki()
    at.messages = True

    assert isinstance(attempt(at), Posted)


# --- what has changed since ------------------------------------------------------


def test_a_post_that_the_article_has_overtaken_is_not_made() -> None:
    at = wiki()
    write_gate = gate(
        ModelSession(at),
        wanted=lambda _, text: "" if "steht am Kai" in text else "it was fixed",
    )
    at.put(ARTICLE, "Die Uhr stand am Kai.")

    assert write_gate.attempt(tried(post())) == Refused(
        Refusal.UNWANTED, "it was fixed"
    )


def test_a_section_that_says_something_else_now_is_left_alone() -> None:
    at = wiki()
    at.put(TALK, "== Frage ==\nWelche?\n\n== Unser ==\nalt\n: Nein! --Ada")
    change = ReplaceSection(2, "== Unser ==\nalt", "")

    outcome = attempt(at, post(change=change))

    assert isinstance(outcome, Refused)
    assert outcome.reason is Refusal.CHANGED
    assert at.written == []


def test_a_section_with_another_number_is_left_alone() -> None:
    at = wiki()
    at.put(TALK, "== Neu ==\nx\n\n== Frage ==\nWelche?\n\n== Unser ==\nalt")
    change = ReplaceSection(2, "== Unser ==\nalt", "")

    assert isinstance(attempt(at, post(change=change)), Refused)
    assert at.written == []


def test_a_post_without_its_key_in_the_summary_is_not_made() -> None:
    at = wiki()

    assert isinstance(attempt(at, post(summary="Notice")), Refused)
    assert at.written == []


# --- dry run ----------------------------------------------------------------------


def test_a_dry_run_leaves_the_page_in_a_file_and_the_wiki_alone(
    tmp_path: Path,
) -> None:
    at = wiki()
    before = at.text(TALK)
    showing = LocalPages(tmp_path, now=lambda: NOON)
    write_gate = gate(ModelSession(at, account=""), showing=showing)

    outcome = write_gate.attempt(tried(post()))

    assert Path(outcome.place).read_text("utf-8") == before + post().change.text
    assert Path(outcome.place).is_relative_to(tmp_path)
    assert at.written == []


def test_a_dry_run_tells_what_would_have_kept_the_edit_back(tmp_path: Path) -> None:
    at = wiki(runs=False)
    showing = LocalPages(tmp_path, now=lambda: NOON)

    outcome = gate(ModelSession(at, account=""), showing=showing).attempt(tried(post()))

    assert "stop page" in outcome.why_not
    [history] = tmp_path.rglob("*.history.txt")
    assert "stop page" in history.read_text("utf-8")


@pytest.mark.parametrize(
    "title", ["Diskussion:..", "Diskussion:a/../../b", "Diskussion:.", "x" * 300]
)
def test_no_title_leads_out_of_the_folder(tmp_path: Path, title: str) -> None:
    folder = tmp_path / "pages"
    showing = LocalPages(folder, now=lambda: NOON)

    shown = Path(showing.show(post(title=title, wiki="../.."), "Text", ""))

    assert shown.resolve().is_relative_to(folder)
    assert list(tmp_path.iterdir()) == [folder]


def test_a_dry_run_needs_what_it_would_replace(tmp_path: Path) -> None:
    showing = LocalPages(tmp_path, now=lambda: NOON)
    write_gate = gate(ModelSession(wiki(), account=""), showing=showing)

    outcome = write_gate.attempt(tried(post(change=ReplaceSection(1, "nowhere", "x"))))

    assert isinstance(outcome, Refused)
    assert list(tmp_path.iterdir()) == []


def _with_model(at: ModelWiki, model: str) -> None:
    at.put("Benutzer:Ada/x.js", "var x;")
    at.pages["Benutzer:Ada/x.js"].model = model


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
    _require_refused(wiki(), post(title=title))


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

    _require_refused(at, post(title=title))


def _require_refused(
    at: ModelWiki, post: Post, reason: Refusal = Refusal.PLACE
) -> None:
    outcome = attempt(at, post)

    assert isinstance(outcome, Refused)
    assert outcome.reason is reason
    assert at.written == []


def test_part_of_a_page_is_replaced_in_user_space_alone() -> None:
    _require_refused(wiki(), post(change=ReplaceStretch("Welche", "Diese")))


_FOLDER = "Benutzer:Ada/Sidenote drafts/"


def _draft(**changes: Any) -> Post:
    draft_post = post(
        title=f"{_FOLDER}Hafenuhr",
        task="draft",
        user="Ada",
        change=Create("== Uhr =="),
    )
    return replace(draft_post, **changes)


def test_a_draft_makes_a_page_in_its_persons_folder() -> None:
    at = wiki()
    at.go("draft")

    assert isinstance(attempt(at, _draft()), Posted)
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

    _require_refused(at, _draft(**changes))


def test_a_new_page_is_not_made_where_one_is() -> None:
    at = wiki()
    at.go("draft")
    at.put(f"{_FOLDER}Hafenuhr", "Mine.")

    _require_refused(at, _draft(), Refusal.CHANGED)
