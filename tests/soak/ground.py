"""What the program stands on: wiki, feed, sources, database and model, each by a link.

It is the stage of the torture with a link before each part, and the real program on it.
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.demo.loopback.wiki.serving import free_port, serve_wiki
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.rig.wiki.mediawiki import CACHE, test_seeds
from tests.rig.wiki.recorder import Recorder, recording
from tests.soak.links import Link, Links, linking
from tests.torture.pipeline.editor import Editor
from tests.torture.pipeline.people import People
from tests.torture.pipeline.scene import articles, library
from tests.torture.pipeline.stage import Feed, Stage

_COMMUNITY = "MediaWiki:Sidenote.json"
_PLENTY = {
    "limits": {
        "max": "900000",
        "notesPerPage": 900_000,
        "notesPerWiki": 900_000,
        "talkPosts": 900_000,
    }
}
_MORE = 60  # paragraphs
_WORKERS = 3  # of PHP


def _more(number: int) -> str:
    """Return paragraphs about nothing that matters, so that sources are long.

    What the program remembers of texts is full early, and does not look like a leak.
    """
    return "".join(
        f"<p>In {1860 + each} the harbour board of Cape {number} counted {7 * each + 12}"
        f" barrels of oil, {each + 3} lamps and {2 * each + 5} coils of rope in store"
        f" {each}. The clerk, number {number * 100 + each} of the roll, signed the list in"
        " the presence of two wardens and sent a copy to the capital.</p>"
        for each in range(_MORE)
    )


class _Known(Recorder):
    """A recorder behind a link, which the wiki is known as."""

    link: Link | None = None

    @property
    def own_host(self) -> str:
        return super().host

    @property
    def host(self) -> str:
        return self.link.host


@dataclass(frozen=True, slots=True)
class Ground(Stage):
    """A stage with links. `more` are settings beside those of a stage."""

    links: Links
    wiki_link: Link
    source_link: Link
    stream_link: Link
    changes_port: int
    more: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Return the settings of the program."""
        settings = {
            "internal_addresses": self.source_link.host,
            "stream": f"http://{self.stream_link.host}/v2/stream/",
            **self.more,
        }
        named = {f"SIDENOTE_{name.upper()}": value for name, value in settings.items()}
        return {**Stage.environment(self), **named}

    def people(self, seed: int) -> People:
        """Return people who can edit; they speak to the wiki itself.

        They edit nothing away from its source: a program without the network notes none.
        """
        host = self.wiki.host
        return People(
            Editor.named(host, "Alice"),
            Editor.named(host, "Bob"),
            articles(),
            f"http://{self.source_link.host}",
            seed,
            turning=0,
        )


@contextmanager
def ground(
    folder: Path, seed: int, settings: Mapping[str, str] | None = None
) -> Iterator[Ground]:
    """Serve a wiki and sources, each behind a link; the feed is up to the caller."""
    os.environ["NO_PROXY"] = "*"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "user-config.py").touch(0o600)
    with ExitStack() as stack:
        links = stack.enter_context(linking(seed))
        wiki_link, source_link, stream_link = (
            links.open(name) for name in ("wiki", "sources", "stream")
        )
        recorder = _Known()
        recorder.link = wiki_link
        stack.enter_context(recording(recorder))
        wiki_link.upstream = recorder.own_host
        sources = stack.enter_context(library(_more))
        source_link.upstream = sources.host
        changes = free_port(socket.SOCK_DGRAM)
        wiki = stack.enter_context(
            serve_wiki(
                test_seeds(),
                CACHE,
                known_as=wiki_link.host,
                changes_port=changes,
                workers=_WORKERS,
            )
        )
        recorder.wiki = wiki.host
        admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
        admin.edit(_COMMUNITY, json.dumps(_PLENTY))
        admin.web.close()
        yield Ground(
            wiki,
            recorder,
            Feed(),
            sources,
            folder,
            links=links,
            wiki_link=wiki_link,
            source_link=source_link,
            stream_link=stream_link,
            changes_port=changes,
            more=dict(settings or {}),
        )
