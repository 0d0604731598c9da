"""Weakly labelled examples: statements beside the pages that they cite.

SIDE ranks a claim with the page it cites above the same claim with other pages. Nine
systems' articles with the text of their cited pages give the same here. That a page
is cited says that it likely bears the statement out; how likely, its words tell. The
statement changed in one place, joined with another, or beside a page without its
evidence makes the rest; those negatives keep the words of the claim, so that what is
learned is not what counting words tells already.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from bot.training.verifier.beside import Beside, Table, missing
from bot.training.verifier.corruption import appended, corrupt, details
from bot.training.verifier.joining import Part, join_parts
from bot.training.verifier.pair import UNMENTIONED, Mark, TrainingPair, whole
from bot.training.verifier.web_articles import Article, Statement
from handlers.citations.comparison import recall
from handlers.citations.neural.evidence import assemble, choose, join
from handlers.model import Passage

# The kinds of examples that are made here, but those with something changed.
PAGES = frozenset(
    {"added detail", "cited page", "copied", "evidence removed", "other page"}
    | {"joined, all", "joined, but one"}
)

_PER_PAGE = 12  # statements, so that a few pages do not teach everything
_RELATED = 0.3  # recall under which a citation is likely a slip
_CHANGEABLE = 0.55  # recall from which a changed claim is a fair negative
_SURE = 0.8  # recall from which the page bears the statement out, as good as surely
_ANOTHER = 0.6  # recall under which a joined statement is not borne out
_UNRELATED = 0.4  # recall up to which a page that is not cited proves nothing
_GONE = 0.45  # of a claim's weight that must go when its evidence is taken away
_TELLING_WORDS = 90  # of the evidence that is taken away
_PAGES_TRIED = 3
# How many of the statements make an example of each kind.
_TWICE_CHANGED = 0.45
_REMOVED = 0.25
_ELSEWHERE = 0.25
_APPENDED = 0.2
_COPIED = 0.25
_COPIED_AS_IS = 0.45
_HALF = 0.5
_JOININGS = 4  # tried for each statement that is surely borne out
_OTHER_PARTS = (1, 1, 2)  # that join the first one
_SENTENCE = re.compile(r"[A-Z][^.!?\n|]{45,220}[.!?](?=\s)")


class WebPairs:
    """Makes the examples of one article after the other."""

    def __init__(self, table: Table) -> None:
        """Lay statements on `table`, whose draws decide what is made."""
        self._table = table
        self._draws = table.draws
        self._seen: set[tuple[str, str]] = set()

    def of(self, article: Article) -> Iterator[TrainingPair]:
        """Yield the examples of an article's statements, each statement once."""
        by_page: dict[str, list[Statement]] = defaultdict(list)
        for statement in article.statements:
            if (statement.title, statement.text) not in self._seen:
                self._seen.add((statement.title, statement.text))
                by_page[statement.page].append(statement)
        for page, statements in by_page.items():
            self._draws.shuffle(statements)
            yield from self._of_page(article, page, statements[:_PER_PAGE])

    def _of_page(
        self, article: Article, page: str, statements: Sequence[Statement]
    ) -> Iterator[TrainingPair]:
        borne_out: list[Beside] = []
        for statement in statements:
            told = self._table.lay(statement, article.pages[page])
            if told.recall < _RELATED:
                continue
            yield _cited(told)
            if told.recall >= _CHANGEABLE:
                yield from self._changed(told)
            if told.recall >= _SURE:
                yield from self._extended(told, article)
                borne_out.append(told)
            if self._draws.random() < _REMOVED:
                yield from self._removed(told)
            others = [key for key in article.pages if key != page]
            if others and self._draws.random() < _ELSEWHERE:
                yield from self._elsewhere(statement, article, others)
        yield from self._joined(borne_out, article)
        yield from self._copied(article.pages[page], statements)

    def _changed(self, told: Beside) -> Iterator[TrainingPair]:
        evidence = self._table.read(assemble(told.claimed, told.stated))
        times = 2 if self._draws.random() < _TWICE_CHANGED else 1
        for _ in range(times):
            reading = told.claimed.reading
            changed = corrupt(reading, evidence, self._draws)
            # A claim is read without its asides; only one without any has its places.
            if changed is None or reading.text != told.claim.text:
                return
            other = self._table.lay(
                replace(told.statement, text=changed.claim), told.passages
            )
            marks = changed.marks if told.recall >= _SURE else changed.marks[1:]
            kind = f"changed {changed.kind}"
            yield TrainingPair(other.text(), changed.target, marks, kind)

    def _extended(self, told: Beside, article: Article) -> Iterator[TrainingPair]:
        """Add a detail of another statement, which the page does not bear out."""
        if self._draws.random() >= _APPENDED:
            return
        donor = self._draws.choice(article.statements)
        read, known = self._table.read, told.stated.stems
        pool = [
            detail
            for detail in details(read(donor.text))
            if donor.page != told.statement.page and not read(detail).stems <= known
        ]
        if not pool:
            return
        text, (start, end) = appended(told.claim.text, self._draws.choice(pool))
        longer = self._table.lay(replace(told.statement, text=text), told.passages)
        marks = (whole(text, supported=True), Mark(start, end, supported=False))
        yield TrainingPair(longer.text(), UNMENTIONED, marks, "added detail")

    def _removed(self, told: Beside) -> Iterator[TrainingPair]:
        """Show the page without the sentences that speak of the claim."""
        sentences = told.stated.sentences
        telling = choose(told.claimed, sentences, most_words=_TELLING_WORDS)
        gone = {id(one) for one in telling}
        left = [one for one in sentences if id(one) not in gone]
        if not left:
            return
        lacking = missing(told.claimed, left)
        if sum(lacking.values()) < _GONE * sum(told.claimed.all_weights.values()):
            return
        yield TrainingPair(
            told.beside(join(choose(told.claimed, left))),
            (0.1, 0.0, 0.9),
            self._table.missing_marks(told.claim, lacking),
            "evidence removed",
        )

    def _elsewhere(
        self, statement: Statement, article: Article, others: Sequence[str]
    ) -> Iterator[TrainingPair]:
        """Show the most similar of three other pages that the article cites."""
        tried = self._draws.sample(others, min(_PAGES_TRIED, len(others)))
        told = max(
            (self._table.lay(statement, article.pages[key]) for key in tried),
            key=lambda one: one.recall,
        )
        if told.recall > _SURE:
            return  # as likely as not it bears the claim out, too
        chance = max(0.03, told.recall - _UNRELATED)
        yield TrainingPair(
            told.text(),
            (chance, 0.0, 1 - chance),
            self._table.missing_marks(
                told.claim, missing(told.claimed, told.stated.sentences)
            ),
            "other page",
        )

    def _joined(
        self, borne_out: Sequence[Beside], article: Article
    ) -> Iterator[TrainingPair]:
        """Join statements to claims that the page bears out in full or in part."""
        for told in borne_out:
            for _ in range(_JOININGS):
                yield from self._joining(told, borne_out, article)

    def _joining(
        self, told: Beside, borne_out: Sequence[Beside], article: Article
    ) -> Iterator[TrainingPair]:
        lacking = self._draws.random() < _HALF
        own = [each for each in borne_out if each is not told]
        wanted = self._draws.choice(_OTHER_PARTS) - lacking
        parts = [told, *self._draws.sample(own, min(wanted, len(own)))]
        texts = [Part(each.statement.text, supported=True) for each in parts]
        stranger = self._stranger(told, article) if lacking else None
        if stranger is not None:
            texts.append(Part(stranger.text, supported=False))
        if len(texts) == 1 or (lacking and stranger is None):
            return
        text, marks = join_parts(texts, self._draws)
        longer = self._table.lay(replace(told.statement, text=text), told.passages)
        if longer.claim.text != text:
            return  # it is read without its asides, and has other places then
        yield TrainingPair(
            longer.text(),
            UNMENTIONED if lacking else (0.95, 0.0, 0.05),
            marks,
            "joined, but one" if lacking else "joined, all",
        )

    def _stranger(self, told: Beside, article: Article) -> Statement | None:
        """Choose a statement that cites another page and that this one lacks."""
        page = told.statement.page
        pool = [one for one in article.statements if one.page != page]
        if not pool:
            return None
        stranger = self._draws.choice(pool)
        own = self._table.lay(stranger, told.passages)
        found = recall(own.claimed.weights, own.stated.everywhere)
        return stranger if found <= _ANOTHER else None

    def _copied(
        self, passages: Sequence[Passage], statements: Sequence[Statement]
    ) -> Iterator[TrainingPair]:
        """Take sentences of the page itself as claims, as they are and changed."""
        for _ in statements:
            if self._draws.random() >= _COPIED:
                continue
            sentence = _prose(self._draws.choice(passages), self._draws)
            if sentence is None:
                continue
            statement = replace(statements[0], text=sentence, before="")
            told = self._table.lay(statement, passages)
            if self._draws.random() < _COPIED_AS_IS:
                marks = (whole(sentence, supported=True),)
                yield TrainingPair(told.text(), (0.98, 0.0, 0.02), marks, "copied")
            else:
                for each in self._changed(told):
                    yield replace(each, origin=f"copied, {each.origin}")


def _cited(told: Beside) -> TrainingPair:
    """Return the statement beside its page: the more words recur, the surer."""
    sure = min(0.97, 0.4 + 0.6 * told.recall)
    marks = (whole(told.claim.text, supported=True),) if told.recall >= _SURE else ()
    return TrainingPair(told.text(), (sure, 0.0, 1 - sure), marks, "cited page")


def _prose(passage: Passage, draws: Random) -> str | None:
    found = _SENTENCE.findall(passage.text)
    return draws.choice(found) if found else None
