"""Tells a page that answered 200 without its text from one that was read. Pure.

Precision comes first: a long page is never a wall, whatever words it holds, for
articles write about paywalls, captchas and missing pages too. Each rule asks for
its words and for a page that shows little else.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.sources.extraction import phrases
from handlers.model import SourceOutcome

_LONG_PAGE = 3500  # characters; beyond these a page is taken for what it shows
_TEASER = 2400  # the longest beginning of an article above a paywall
_MESSAGE = 1200  # the longest page that is but a message
_BRIEF = 600
_FEW_WORDS = 300
_HARDLY_ANYTHING = 150
_PROMPT = 120  # the longest line that is a notice rather than a paragraph
_READ_CHARS = 6000  # how much of the text is searched for phrases
_COOKIE_SHARE = 0.6

# A text without full stops is cut up all the same, or one word would claim it all.
_SENTENCE = re.compile(r"[^.!?\n]{1,160}")


@dataclass(frozen=True, slots=True)
class PageLooks:
    """What is known of a page before it is judged.

    `outside` counts the characters outside menus, dialogs and links; `main`
    those of the main text. Either may be zero on a fine page: sites call their
    whole body a dialog, and extractors miss.
    """

    title: str
    text: str  # all that is visible
    content: str  # the same without menus, dialogs, asides and footers
    outside: int
    main: int
    without_scripts: str = ""  # the text of <noscript>
    markup: str = ""
    has_password_field: bool = False
    has_scripts: bool = False

    @property
    def size(self) -> int:
        """How many characters there are to read."""
        return max(self.outside, self.main)


@dataclass(frozen=True, slots=True)
class Wall:
    """What stands in the place of the page's text."""

    outcome: SourceOutcome
    detail: str


def classify(page: PageLooks) -> Wall | None:
    """Return what the page is instead of a text, or `None` if it is one."""
    if page.outside > _LONG_PAGE:
        return None
    words = _Words(
        title=_plain(page.title),
        text=_plain(page.text[:_READ_CHARS]),
        content=_plain(page.content[:_READ_CHARS]),
        without_scripts=_plain(page.without_scripts[:_READ_CHARS]),
    )
    for applies, outcome, detail in _RULES:
        if applies(page, words):
            return Wall(outcome, detail)
    return None


def classify_plain(text: str) -> Wall | None:
    """Return what a plain text is instead of a source, or `None` if it is one."""
    title = text.split("\n", 1)[0][:200]
    chars = len(text)
    return classify(PageLooks(title, text, text, outside=chars, main=chars))


@dataclass(frozen=True, slots=True)
class _Words:
    """The searchable form of a page's texts."""

    title: str
    text: str
    content: str
    without_scripts: str


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").lower().split(" "))


def _is_bot_check(page: PageLooks, words: _Words) -> bool:
    if len(page.text) <= _TEASER and phrases.BOT_CHECK_TITLE.search(words.title):
        return True
    if page.size <= _MESSAGE and _says(phrases.BOT_CHECK, page, words):
        return True
    if page.size > _HARDLY_ANYTHING:
        return False
    return bool(phrases.BOT_CHECK.search(words.without_scripts)) or (
        not page.has_password_field and _has_challenge(page.markup)
    )


def _has_challenge(markup: str) -> bool:
    lowered = markup.lower()
    return any(sign in lowered for sign in phrases.BOT_CHECK_MARKUP)


def _is_soft_404(page: PageLooks, words: _Words) -> bool:
    # Such pages often go on with links to what else there is to read.
    if phrases.SOFT_404_TITLE.search(words.title):
        return page.outside <= _TEASER
    return page.outside <= _MESSAGE and _says(phrases.SOFT_404, page, words)


def _says(phrase: re.Pattern[str], page: PageLooks, words: _Words) -> bool:
    """Tell whether the page says so itself, and does not write about it."""
    if page.size <= _BRIEF:
        return bool(phrase.search(words.content))
    notices = (line for line in words.content.split("\n") if len(line) <= _PROMPT)
    return any(phrase.search(line) for line in notices if line not in words.title)


def _is_cookie_wall(page: PageLooks, words: _Words) -> bool:
    if not phrases.COOKIE_ASK.search(words.text):
        return False
    if page.size <= _MESSAGE and phrases.BEFORE_YOU_CONTINUE.search(words.text):
        return True
    sentences = [s for s in _SENTENCE.findall(words.text) if len(s.strip()) > 1]
    about = sum(len(s) for s in sentences if phrases.COOKIE_SENTENCE.search(s))
    if about <= _HARDLY_ANYTHING < page.size:
        return False
    return about > 0 and about >= _COOKIE_SHARE * sum(map(len, sentences))


def _is_login_wall(page: PageLooks, words: _Words) -> bool:
    if _says_paid(page.markup) and _asks_to_log_in(words.text):
        return page.size <= _LONG_PAGE
    # Menus and footers of any page offer to log in, so they count on an empty one.
    if page.size > _FEW_WORDS:
        offers = page.size <= _BRIEF and _says(phrases.LOGIN_OFFER, page, words)
        demands = page.size <= _TEASER and _says(phrases.LOGIN_WALL, page, words)
        return offers or demands
    has_form = page.has_password_field or phrases.LOGIN_TITLE.search(words.title)
    return bool(has_form) or _asks_to_log_in(words.text)


def _asks_to_log_in(text: str) -> bool:
    return bool(phrases.LOGIN_WALL.search(text) or phrases.LOGIN_OFFER.search(text))


def _says_paid(markup: str) -> bool:
    return bool(phrases.PAID_MARKUP.search(markup.lower()))


def _is_empty_shell(page: PageLooks, words: _Words) -> bool:
    if page.size <= _BRIEF and phrases.NEEDS_SCRIPTS.search(words.text):
        return True
    if page.size > _HARDLY_ANYTHING:
        return False
    return bool(
        page.has_scripts
        or phrases.NEEDS_SCRIPTS.search(words.without_scripts)
        or phrases.LOADING.search(words.text)
    )


_Rule = tuple[Callable[[PageLooks, _Words], bool], SourceOutcome, str]
_RULES: tuple[_Rule, ...] = (
    (
        _is_bot_check,
        SourceOutcome.BOT_CHECK,
        "the site wants its visitor to prove to be human",
    ),
    (
        _is_soft_404,
        SourceOutcome.SOFT_404,
        "the page says that it was not found or is gone",
    ),
    (
        _is_cookie_wall,
        SourceOutcome.COOKIE_WALL,
        "the page asks for consent to cookies before it shows its text",
    ),
    (
        _is_login_wall,
        SourceOutcome.LOGIN_WALL,
        "the page asks to log in or subscribe before it shows its text",
    ),
    (
        _is_empty_shell,
        SourceOutcome.EMPTY_SHELL,
        "the page shows its text only where scripts run",
    ),
)
