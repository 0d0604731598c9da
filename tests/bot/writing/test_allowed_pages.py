"""Where the gate may write: every namespace, odd prefixes, redirects and moves."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.posts import Refused
from bot.writing.allowed_pages import Place, is_allowed, place
from tests.bot.writing.makers import ARTICLE, ModelSession, gate, post, tried, wiki
from tests.bot.writing.model_wiki import BOT, LOCAL

_PREFIXES = [
    *(name for name in LOCAL.values() if name),
    "Talk",
    "User",
    "User talk",
    "Special",
    "Template",
    "de",
    "commons",
    "",
]
_SPOILED = st.sampled_from(
    [
        "",
        " ",
        "_",
        ":",
        "::",
        "\u200e",
        "\u00a0",
        "#",
        "|",
        "\x1f",
        "%3A",
        "&#58;",
        "/",
        ".",
    ]
)
_NAMES = st.sampled_from(
    [
        ARTICLE,
        "Ada",
        "Ada/common.js",
        "Ada/../Uhr",
        f"{BOT}/Run",
        f"{BOT}/Run/talk",
        "Uhr am Kai#Frage",
        "Uhr am Kai|Uhr",
        "benutzer:Ada",
        "x" * 300,
        "ß",
        "\u02bcn",
        "",
    ]
)


@st.composite
def _titles(draw: st.DrawFn) -> str:
    prefix = draw(st.sampled_from(_PREFIXES))
    cases: list[Callable[[str], str]] = [str, str.lower, str.upper, str.title]
    case = draw(st.sampled_from(cases))
    before, between, after = draw(_SPOILED), draw(_SPOILED), draw(_SPOILED)
    colon = draw(st.sampled_from([":", ":", ":", "", " :", "\uff1a"]))
    return f"{before}{case(prefix)}{between}{colon}{after}{draw(_NAMES)}"


@settings(max_examples=600, deadline=None)
@given(_titles(), st.sampled_from(["", "page", "redirect", "moved"]))
def test_no_title_leads_to_a_write_outside_talk_and_user_pages(
    title: str, state: str
) -> None:
    at = wiki()
    _prepare(at, title, state)

    outcome = gate(ModelSession(at)).attempt(tried(post(title=title)))

    # The wiki in memory fails the test by itself, too.
    for written in at.written:
        namespace, full = at.place(written)
        assert namespace == 2 or namespace % 2 == 1
        assert full == written == title
        assert not full.startswith(f"Benutzer:{BOT}/Run")
    assert at.written or not hasattr(outcome, "revision_id")


def _prepare(at: object, title: str, state: str) -> None:
    try:
        namespace, full = at.place(title)  # type: ignore[attr-defined]
    except (ValueError, LookupError):
        return
    if namespace < 0 or not state or full.startswith(f"Benutzer:{BOT}/Run"):
        return
    at.put(full, "#REDIRECT [[Uhr am Kai]]" if state == "redirect" else "Text")  # type: ignore[attr-defined]
    if state == "moved":
        at.move(full, "Ein Artikel")  # type: ignore[attr-defined]


def test_every_talk_namespace_and_that_of_users_is_allowed_and_no_other() -> None:
    allowed = {number for number in range(-2, 3000) if is_allowed(number)}

    assert allowed == {2, *range(1, 3000, 2)}


def test_a_talk_page_knows_what_it_is_about() -> None:
    for number, name in LOCAL.items():
        found = place(f"{name}:Uhr", LOCAL, f"{BOT}/Run")
        if not is_allowed(number):
            assert isinstance(found, Refused)
            continue
        assert isinstance(found, Place)
        subject = f"{LOCAL[number - 1]}:Uhr".removeprefix(":")
        assert found.subject == (None if number == 2 else subject)


@given(st.text(max_size=80))
def test_any_text_is_a_place_or_refused(title: str) -> None:
    found = place(title, LOCAL, f"{BOT}/Run")

    assert isinstance(found, Refused) or is_allowed(found.namespace)
