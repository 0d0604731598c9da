"""People who edit the watched articles and the pages that the bot writes to.

Every line of theirs is one of a kind, so that a judge can tell whether it still stands
where they wrote it. They take care of nobody: what they edit may be being posted to.
"""

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from bot.surfaces.problem_reports import reports_page
from handlers.citations.suggestions import identity_of
from handlers.model import PageId
from handlers.page import parse
from tests.torture.pipeline.editor import Editor, Refused
from tests.torture.pipeline.scene import REPORTED, TALKED, Article
from tests.torture.pipeline.wire import Wire

BOT = "SidenoteBot"
REPORTS = reports_page(BOT)
_CALL = f"{{{{User:{BOT}/watch |pages=PAGES |surface=report |max=100000}}}}"
_CALL_ON_TALK = f"{{{{User:{BOT}/watch |surface=talk |max=100000}}}}"
_NOTE = re.compile(r"<!-- sidenote note ([0-9a-f]{24})\.")
_WITHIN = re.compile(r"<!-- sidenote begin report|\*: The ")
_HEADING = re.compile(r"^== .* ==$", re.MULTILINE)
TAKEN = "notes taken from reports"
AWAY = "sentences edited away from their source"
REVERTED = "of these reverted by somebody else"
MEANWHILE = "lines between a look of the bot's and its write"
OURS = "== Statements that may need a check"


@dataclass(frozen=True, slots=True)
class TakenAway:
    """A note that a person removed from a page, in this revision."""

    title: str
    note: str  # its short identity
    revision: int


@dataclass
class People:
    """Alice and Bob. `lines` are those of theirs that have to stand on each page."""

    alice: Editor
    bob: Editor
    articles: dict[str, Article]
    sources: str
    seed: int
    edited: threading.Event = field(default_factory=threading.Event)
    lines: dict[str, list[str]] = field(default_factory=dict)
    taken: list[TakenAway] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)  # names of the reports
    wiki: str = ""  # as the bot knows it
    patience_s: float = 6.0  # until a problem is reported, though nothing is posted
    reporting: int = 2  # how often, beside 28 other deeds
    taking: int = 2  # a note from a report, likewise
    turning: int = 6  # a sentence away from its source or back, likewise
    meanwhile: int = 3  # between a look of the bot's and its write, likewise
    is_busy: Callable[[], bool] = lambda: False
    wire: Wire | None = (
        None  # of the bot: lets them edit between its look and its write
    )
    failure: BaseException | None = None

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._number = 0
        self.reports = {
            f"User:{one.name}/Sidenote report": one for one in (self.alice, self.bob)
        }
        self._pages: dict[str, tuple[str, ...]] = {
            self.alice.name: REPORTED[:2],
            self.bob.name: REPORTED[1:],
        }

    def begin(self) -> None:
        """Write the articles and ask for notes on them."""
        for article in self.articles.values():
            self._save_article(article)
        for one in (self.alice, self.bob):
            line = self._line()
            title = f"User:{one.name}/Sidenote"
            one.save(title, f"{line}\n{self._call(one)}\nBye.")
            self.lines.setdefault(title, []).append(line)
        for title in TALKED:
            line = self._line()
            self.lines.setdefault(f"Talk:{title}", []).append(line)
            text = f"{_CALL_ON_TALK}\n\n== Question ==\n{line}"
            self.alice.save(f"Talk:{title}", text)

    def edit_until(self, end: threading.Event, pause_s: float) -> None:
        """Edit until `end`; each time something else."""
        deeds: dict[Callable[[], str], int] = {
            self._change_a_sentence: 12,
            self._edit_away_or_revert: self.turning,
            self._say_an_aside: 2,
            self._write_around_a_report: 3,
            self._write_within_a_report: 1,
            self._take_a_note_away: self.taking,
            self._ask_on_a_talk_page: 3,
            self._answer_us: 1,
            self._take_our_section_away: 1,
            self._take_a_talk_note_away: 1,
            self._ask_for_other_pages: 1,
            self._report_a_problem: self.reporting,
            self._write_meanwhile: self.meanwhile if self.wire is not None else 0,
        }
        chosen, weights = list(deeds), list(deeds.values())
        try:
            while not end.wait(self._chance.uniform(0, 2 * pause_s)):
                [deed] = self._chance.choices(chosen, weights)
                try:
                    self.counts[deed()] += 1
                except Refused:
                    self.counts["edit conflicts"] += 1
        except BaseException as error:  # noqa: BLE001 - told by the one who waits
            self.failure = error

    # --- articles ---------------------------------------------------------------

    def _save_article(self, article: Article, by: Editor | None = None) -> None:
        (by or self.bob).save(article.title, article.text(self.sources))
        self.edited.set()

    def _change_a_sentence(self) -> str:
        article = self._chance.choice(list(self.articles.values()))
        sentence = self._chance.choice(article.sentences[1:])
        if sentence.wrong:
            sentence.wrong = 0
        else:
            self._number += 1
            sentence.wrong = self._number
        self._save_article(article)
        return "sentences broken" if sentence.wrong else "sentences mended"

    def _edit_away_or_revert(self) -> str:
        """Bob edits values away from their source; Alice brings the old ones back."""
        article = self._chance.choice(list(self.articles.values()))
        sentence = article.sentences[0]
        if sentence.away:
            sentence.away = 0
            self._save_article(article, by=self.alice)
            return REVERTED
        self._number += 1
        sentence.away = self._number
        self._save_article(article)
        return AWAY

    def _say_an_aside(self) -> str:
        article = self._chance.choice(list(self.articles.values()))
        article.asides.append(self._line())
        self._save_article(article)
        return "other edits of articles"

    # --- reports ----------------------------------------------------------------

    def _write_around_a_report(self) -> str:
        title, owner = self._chance.choice(list(self.reports.items()))
        line = self._line()
        if self._chance.random() < 0.5:
            owner.send(title, prependtext=f"{line}\n\n")
        else:
            owner.send(title, appendtext=f"\n\n{line}")
        self.lines.setdefault(title, []).append(line)
        return "lines around reports"

    def _write_within_a_report(self) -> str:
        title, owner = self._chance.choice(list(self.reports.items()))
        text, revision = owner.read(title)
        lines = text.split("\n")
        places = [at for at, each in enumerate(lines) if _WITHIN.match(each)]
        if not places:
            return "nothing to do"
        line = self._line()
        lines.insert(self._chance.choice(places) + 1, line)
        owner.save(title, "\n".join(lines), baserevid=revision)
        self.lines.setdefault(title, []).append(line)
        return "lines within reports"

    def _take_a_note_away(self) -> str:
        title, owner = self._chance.choice(list(self.reports.items()))
        text, revision = owner.read(title)
        lines = text.split("\n")
        notes = [at for at, each in enumerate(lines) if _NOTE.search(each)]
        if not notes:
            return "nothing to do"
        first = self._chance.choice(notes)
        last = first + 1
        while last < len(lines) and lines[last].startswith("*:"):
            last += 1
        left = "\n".join(lines[:first] + lines[last:])
        self._take(owner, title, lines[first], left, revision)
        return TAKEN

    def _take(
        self, who: Editor, title: str, gone: str, left: str, revision: str
    ) -> None:
        who.save(title, left, baserevid=revision)
        self.taken += taken_away(who, title, _NOTE.findall(gone), revision)

    # --- talk pages -------------------------------------------------------------

    def _ask_on_a_talk_page(self) -> str:
        title = f"Talk:{self._chance.choice(TALKED)}"
        line = self._line()
        self.bob.send(title, appendtext=f"\n\n== Another question ==\n{line}")
        self.lines[title].append(line)
        return "questions on talk pages"

    def _answer_us(self) -> str:
        title, text, revision, start, end = self._our_section()
        if start < 0 or "Human line" in text[start:end]:
            return "nothing to do"
        line = self._line()
        answered = f"{text[:end].rstrip()}\n: {line}\n\n{text[end:]}".rstrip()
        self.bob.save(title, answered, baserevid=revision)
        self.lines[title].append(line)
        return "answers to us"

    def _take_our_section_away(self) -> str:
        """As archiving does; only where somebody has answered."""
        title, text, revision, start, end = self._our_section()
        if start < 0 or "Human line" not in text[start:end]:
            return "nothing to do"
        section = text[start:end]
        self._take(self.bob, title, section, text[:start] + text[end:], revision)
        kept = [each for each in self.lines[title] if each not in section]
        self.lines[title] = kept
        return "sections archived"

    def _take_a_talk_note_away(self) -> str:
        title, text, revision, start, end = self._our_section()
        lines = text[start:end].split("\n") if start >= 0 else []
        notes = [each for each in lines if _NOTE.search(each)]
        if len(notes) < 2:
            return "nothing to do"
        gone = self._chance.choice(notes)
        left = text.replace(f"{gone}\n", "", 1)
        if left == text:
            return "nothing to do"
        self._take(self.bob, title, gone, left, revision)
        return "notes taken from talk pages"

    def _our_section(self) -> tuple[str, str, str, int, int]:
        title = f"Talk:{self._chance.choice(TALKED)}"
        text, revision = self.bob.read(title)
        start, end = our_section(text)
        return title, text, revision, start, end

    # --- while the bot saves ------------------------------------------------------

    def _write_meanwhile(self) -> str:
        """Save a page for which the bot has just sent an edit that is not yet there.

        Asking for other pages has the bot edit the page with the opt-in, at least.
        """
        if self.wire is None:
            return "nothing to do"
        places = {f"User:{one.name}/Sidenote": one for one in (self.alice, self.bob)}
        talks = {f"Talk:{title}": self.bob for title in TALKED}
        writers = {**self.reports, **places, **talks}
        caught = self.wire.catch_rival(writers)
        try:
            self._ask_for_other_pages()
            if not caught.hold.reached.wait(self.patience_s):
                return "nothing to do"
            line, title = self._line(), caught.title
            writers[title].send(title, prependtext=f"{line}\n\n")
            self.lines.setdefault(title, []).append(line)
        finally:
            self.wire.let_go(caught)
        return MEANWHILE

    # --- reports of problems ------------------------------------------------------

    def _report_a_problem(self) -> str:
        """As the panel fills it in, whatever the bot is posting right now."""
        title, owner = self._chance.choice(list(self.reports.items()))
        text, _ = owner.read(title)
        shown = set(_NOTE.findall(text))
        found = [each for each in self._identities() if each[:24] in shown]
        if not found:
            return "nothing to do"
        name = f"{self._chance.getrandbits(128):032x}"
        line, note = self._line(), self._chance.choice(found)
        until_s = time.monotonic() + self.patience_s
        while not self.is_busy() and time.monotonic() < until_s:
            time.sleep(0.02)
        was_busy = self.is_busy()
        owner.send(
            REPORTS,
            appendtext=f"\n\n== Problem ==\n<!-- sidenote report {name} note={note}"
            f" revision=- -->\n{line}\n* <!-- right, wrong or fixed -->",
        )
        was_busy |= self.is_busy()
        self.problems.append(name)
        self.lines.setdefault(REPORTS, []).append(line)
        under_way = " while a post was under way" if was_busy else ""
        return f"problems reported{under_way}"

    def _identities(self) -> list[str]:
        """Return the identities of what is wrong in the articles now."""
        found = []
        for article in self.articles.values():
            page = PageId(self.wiki, article.title)
            parsed = parse(article.text(self.sources), page)
            wrong = set(article.wrong)
            found += [
                identity_of(page, claim)
                for claim in parsed.claims
                if claim.text in wrong
            ]
        return found

    # --- opt-ins ----------------------------------------------------------------

    def _ask_for_other_pages(self) -> str:
        one = self._chance.choice((self.alice, self.bob))
        count = self._chance.randint(1, len(REPORTED))
        pages = tuple(self._chance.sample(REPORTED, count))
        title = f"User:{one.name}/Sidenote"
        text, revision = one.read(title)
        before, after = self._call(one), self._call(one, pages)
        assert before in text, text
        one.save(title, text.replace(before, after), baserevid=revision)
        self._pages[one.name] = pages
        return "opt-ins changed"

    def _call(self, who: Editor, pages: tuple[str, ...] = ()) -> str:
        return _CALL.replace("PAGES", "; ".join(pages or self._pages[who.name]))

    def watched_by(self, who: str) -> tuple[str, ...]:
        """Return the articles that somebody asks to be looked at."""
        return self._pages[who]

    def _line(self) -> str:
        self._number += 1
        return f"Human line {self._number}."


def taken_away(who: Editor, title: str, notes: list[str], seen: str) -> list[TakenAway]:
    """Return which of `notes` a person took from a page, in which revision.

    What the bot took away after the person had looked (in revision `seen`) is none of
    them: the wiki merges the two edits, and the person's may then change nothing.
    """
    later = who.since(title, seen)
    firsts = {
        note: next(
            (each for each in later if note not in _NOTE.findall(each.text)), None
        )
        for note in notes
    }
    return [
        TakenAway(title, note, first.revision)
        for note, first in firsts.items()
        if first is not None and first.user == who.name
    ]


def our_section(text: str) -> tuple[int, int]:
    """Return where the bot's section of a talk page stands; -1 if there is none."""
    start = text.find(OURS)
    if start < 0:
        return -1, -1
    heading = _HEADING.search(text, text.index("\n", start))
    return start, heading.start() if heading else len(text)
