"""A claim and a passage side by side: which words differ, and whether it is near at all.

The words are compared as the judge compares them, by their stems, so that "12,000" and
"12 thousand" or "repaired" and "repair" do not differ. Pure.
"""

from unicodedata import combining, normalize

from handlers.citations.quote_links import joined
from handlers.model import Claim, ClaimCheck, Evidence, Span, Verdict
from handlers.text.analysis import Name, TextAnalysis, analyse
from handlers.text.dates import word_indices
from handlers.text.words import content_stems, words

# Share of the claim's words, without those of the title, from which a passage is about
# the same thing: below, a reader would be shown any sentence of the page.
_NEAR = 0.2
_HALF = 0.5


def unshared(claim: str, passage: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return the words of the claim that the passage lacks, and those it has besides."""
    mine, theirs = analyse(claim), analyse(passage)
    return _lacking(mine, theirs), _lacking(theirs, mine)


def _lacking(one: TextAnalysis, other: TextAnalysis) -> tuple[Span, ...]:
    spans = (
        Span(word.start, word.end)
        for word in one.content
        if other.index.support(word.stem) < _HALF
    )
    return joined(one.text, spans)


def near(title: str, check: ClaimCheck) -> tuple[Evidence, ...]:
    """Return the evidence of a check that is about its claim.

    What a language model quoted is: it has read it. A contradiction is never told
    without the sentence that was found to say otherwise, few words as they may share.
    """
    found = check.verification
    if found is None:
        return ()
    opinion = check.opinion
    if opinion is not None and opinion.failure is None:
        return found.evidence
    about = tuple(
        one for one in found.evidence if _is_near(title, check.claim, one.quote)
    )
    is_refuted = check.verdict is Verdict.CONTRADICTED
    return found.evidence[:1] if is_refuted and not about else about


def _is_near(title: str, claim: Claim, quote: str) -> bool:
    around = " ".join((claim.text, claim.row or "", claim.column or ""))
    asked = content_stems(words(around)) - content_stems(words(title))
    support = analyse(quote).index.support
    return not asked or sum(map(support, asked)) >= _NEAR * len(asked)


def chars_read(check: ClaimCheck) -> int:
    """Return the length of all that was read for a claim."""
    documents = (fetch.document for fetch in check.fetches)
    return sum(len(one.text) for one in documents if one is not None)


def grouped(number: int) -> str:
    """Return a number in groups of three digits, as any language reads it."""
    return f"{number:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def absent_names(title: str, check: ClaimCheck) -> tuple[str, ...]:
    """Return the names in a claim of which nothing that was read has a single word.

    Those of the article's title are left out, and so is a name whose initials were read.
    """
    texts = [one.document.text for one in check.fetches if one.document is not None]
    read, known = _plain("\n".join(texts)), content_stems(words(title))
    if not read:
        return ()
    analysis = analyse(check.claim.text)
    dated = word_indices(analysis.dates)
    return tuple(
        analysis.text[
            analysis.words[one.first_word].start : analysis.words[one.last_word].end
        ]
        for one in analysis.names
        if dated.isdisjoint(range(one.first_word, one.last_word + 1))
        and known.isdisjoint(one.stems)
        and not _is_read(one, analysis, read)
    )


def _is_read(name: Name, analysis: TextAnalysis, read: str) -> bool:
    members = (
        word
        for word in analysis.words[name.first_word : name.last_word + 1]
        if word.is_capitalised
    )
    if any(_plain(analysis.text[one.start : one.end]) in read for one in members):
        return True
    return len(name.initials) > 1 and name.initials in read


def _plain(text: str) -> str:
    """Return `text` without case and accents."""
    decomposed = normalize("NFKD", text.casefold())
    return "".join(one for one in decomposed if not combining(one))
