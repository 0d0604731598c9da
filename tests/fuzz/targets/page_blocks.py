"""The stretch of a page that the bot rewrites: nothing that people wrote is ever lost."""

import re

from bot.wiki.blocks import find, removed, rewritten
from bot.wiki.escaping import WikiSafe
from tests.bot.wiki.markup.makers import KEYS
from tests.fuzz.target import Target, require

_NAME = "state"
_BODY = WikiSafe("'''Sidenote''' watches 3 pages.\n* Oslo")
_NEXT = WikiSafe("'''Sidenote''' watches 4 pages.")
_OWN = rewritten("", _NAME, _BODY, KEYS)
_FOREIGN = re.sub(r"(?<=begin state )\w+", "0" * 24, _OWN.text)  # signed by nobody


def check(data: bytes) -> None:
    """What stands outside stays, doing it twice is doing it once, and people's lines stay."""
    text = data.decode("utf-8", "replace")
    for own in (None, _OWN.content):
        block = find(text, _NAME, KEYS, own=own).block
        found = rewritten(text, _NAME, _NEXT, KEYS, own=own)
        if found.content is None:
            require(
                found.text == text, "a page was changed in which nothing was written"
            )
            continue
        before, after = (
            (text, "") if block is None else (text[: block.start], text[block.end :])
        )
        require(found.text.startswith(before), "text before the block was changed")
        require(
            found.text.rstrip("\n").endswith(after.rstrip("\n")), "text after it was"
        )
        gone = removed(text, _NAME, KEYS, own=own)
        require(gone.startswith(before), "text before the block went with it")
        require(gone.endswith(after), "text after the block went with it")
        for line in block.lines_of_people if block else ():
            require(line in found.text, f"a person's line is gone: {line!r}")
            require(line in gone, f"a person's line went with the block: {line!r}")
        again = rewritten(found.text, _NAME, _NEXT, KEYS, own=found.content)
        require(again.text == found.text, "twice is not once")
        left = removed(found.text, _NAME, KEYS, own=found.content)
        require(left.startswith(before), "text before the block went with it")


TARGET = Target(
    name="page_blocks",
    promises="text of people stays as it is, and rewriting twice is rewriting once",
    check=check,
    words=(
        b"<!-- sidenote begin state ", b"<!-- sidenote end state -->", b" -->", b"<!--", b"-->",
        _OWN.text.encode(), _OWN.text[:60].encode(), _OWN.text[-40:].encode(), b"<nowiki>",
        b"</nowiki>", b"<pre>", b"{{", b"}}", b"{|", b"|}", b"\n", b"\n\n", b"* Oslo", b"[[", b"]]",
        b"A line of a person.\n", b"<!-- sidenote end other -->", b"<ref>", b"</ref>", b"<math>",
        b": a program rewrites what follows; please write above or below it -->", b"0" * 24,
    ),
    seeds=(
        _OWN.text.encode(), b"Before.\n" + _OWN.text.encode() + b"\nAfter.",
        _OWN.text.replace("Oslo", "Oslo\nMine").encode(), b"{{User:SidenoteBot/watch|pages=A}}",
        b"{{a|" + _OWN.text.encode() + b"}}", _OWN.text.encode() * 2, _OWN.text[:-30].encode(),
        _FOREIGN.encode() + b"\n" + _OWN.text.encode(),
        b"<nowiki>" + _OWN.text.encode(), b"<!-- open " + _OWN.text.encode(),
    ),
)  # fmt: skip
