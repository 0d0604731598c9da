"""The articles that people edit: what each sentence says, and whether its source supports it.

Each sentence has a source of its own on loopback. A sentence that is right repeats what
its source says. One that is wrong says something else entirely, so that also the
quickest verifier is sure; no two wrong sentences are alike. The first sentence of an
article is never wrong so: people edit its values away from the source, and back.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_SENTENCES = 4  # in an article
_RIGHT = (
    "The lighthouse at Cape {number} was completed in {year} and stands {tall} metres"
    " tall above the harbour."
)
_WRONG = (
    "The old railway station of Cape {number} was demolished in {year} after a great"
    " fire in the timber market killed {dead} people."
)
_SOURCE = """\
<!DOCTYPE html><html><head><title>Record {number}</title></head><body><article>
<h1>Record of the lighthouse at Cape {number}</h1>
<p>{right} It was built of granite by masons of the harbour board.</p>
<p>The keepers of Cape {number} lived in the cottage beside the tower until the light
was automated.</p>{more}</article></body></html>"""

REPORTED = ("Lights of the north", "Lights of the south", "Lights of the islands")
TALKED = ("Lights of the river", "Lights of the bay")
TITLES = (*REPORTED, *TALKED)


@dataclass(slots=True)
class Sentence:
    """A sentence with its source.

    `wrong` numbers what it says falsely, `away` an edit of its values; 0: neither.
    """

    number: int
    wrong: int = 0
    away: int = 0

    @property
    def words(self) -> str:
        if self.wrong:
            year, dead = 1800 + self.wrong % 200, 300 + self.wrong
            return _WRONG.format(number=self.number, year=year, dead=dead)
        if self.away:
            year, tall = 1400 + self.away % 200, 300 + self.away
            return _RIGHT.format(number=self.number, year=year, tall=tall)
        return _right(self.number)


@dataclass(slots=True)
class Article:
    """An article as it should be read on the wiki."""

    title: str
    sentences: list[Sentence]
    asides: list[str] = field(default_factory=list)  # without any source

    def text(self, sources: str) -> str:
        """Return its wikitext; `sources` is where the sources are."""
        cited = "\n\n".join(
            f"{each.words}<ref>{{{{cite web |url={sources}/{each.number}"
            f" |title=Record {each.number}}}}}</ref>"
            for each in self.sentences
        )
        asides = "".join(f"\n\n{each}" for each in self.asides[-3:])
        return (
            f"'''{self.title}''' were built by the harbour board.\n\n{cited}{asides}"
            "\n\n== References ==\n<references />\n"
        )

    @property
    def wrong(self) -> list[str]:
        """Return the sentences that are to be found."""
        return [each.words for each in self.sentences if each.wrong or each.away]

    @property
    def away(self) -> list[str]:
        """Return the sentences that were edited away from their sources."""
        return [each.words for each in self.sentences if each.away]


def articles() -> dict[str, Article]:
    """Return all articles, right in everything."""
    return {
        title: Article(
            title,
            [Sentence(at * _SENTENCES + each) for each in range(1, _SENTENCES + 1)],
        )
        for at, title in enumerate(TITLES)
    }


def _right(number: int) -> str:
    return _RIGHT.format(number=number, year=1850 + number, tall=20 + number)


class Library:
    """Serves the sources; `asked` is set with each question.

    Args:
        more: gives what else the source of a number says, as HTML.
    """

    def __init__(self, more: Callable[[int], str]) -> None:
        self.asked = threading.Event()
        self.more = more
        handler = type("Bound", (_Handler,), {"library": self})
        self.server = _Quiet(("127.0.0.1", 0), handler)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    library: Library

    def do_GET(self) -> None:
        name = self.path.removeprefix("/")
        if not name.isdecimal():
            self.send_error(404)
            return
        self.library.asked.set()
        number = int(name)
        more = self.library.more(number)
        page = _SOURCE.format(number=number, right=_right(number), more=more).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of readers that were killed."""


@contextmanager
def library(more: Callable[[int], str] = lambda _number: "") -> Iterator[Library]:
    """Serve the sources on loopback; `more` is as of `Library`."""
    library = Library(more)
    thread = threading.Thread(
        target=library.server.serve_forever, args=(0.05,), daemon=True
    )
    thread.start()
    try:
        yield library
    finally:
        library.server.shutdown()
        library.server.server_close()
        thread.join()
