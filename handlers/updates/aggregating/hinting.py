"""What to look for next: a name that a new fact brings into the article. Pure."""

from collections.abc import Iterator

from handlers.citations.cues.names import Name
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.model import CandidateUpdate, Subject
from handlers.updates.aggregating.nearest import shown

_FEWEST_PARTS = 2  # of a name that a search can do something with
_MOST_WORDS = 8


def hint_of(subject: Subject, candidate: CandidateUpdate) -> str | None:
    """Return a query for the first long name that the article does not know."""
    found = read(candidate.text)
    known = content_stems(
        word
        for text in (*subject.names, *map(shown, subject.statements))
        for word in words(text)
    )
    name = next(_new_names(found, known), None)
    if name is None:
        return None
    first, last = found.words[name.first_word], found.words[name.last_word]
    written = found.text[first.start : last.end]
    return " ".join(
        f"{subject.names[0]} {' '.join(written.split()[:_MOST_WORDS])}".split()
    )


def _new_names(found: Reading, known: frozenset[str]) -> Iterator[Name]:
    dated = {
        at for one in found.dates for at in range(one.first_word, one.last_word + 1)
    }
    for name in found.names:
        is_date = name.first_word in dated or name.last_word in dated
        if (
            len(name.stems) >= _FEWEST_PARTS
            and not is_date
            and known.isdisjoint(name.stems)
        ):
            yield name
