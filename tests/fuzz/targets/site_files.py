"""What sites say of themselves: robots.txt, feeds, archived copies; bounded and in bounded time."""

from protego import Protego

from bot.search.services.feeds import read_feed
from bot.search.services.results import plain
from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.sources.copies import (
    availability_url,
    is_wayback,
    read_availability,
    wanted_date,
)
from handlers.model import Source, SourceForm
from tests.fuzz.target import Target, require, storable

_ADDRESS = "https://a.example/" + "ab/" * 60 + "?q=a%20b"
_AGENT = "Sidenote"
_HOSTS = frozenset({"web.archive.org"})
_MOST_CHARS = 20_000
_MOST_ENTRIES = 500


def check(data: bytes) -> None:
    """A yes or no, and entries that can be stored."""
    text = data.decode("utf-8-sig", "replace")
    rules = Protego.parse(text)
    require(rules.can_fetch(_ADDRESS, _AGENT) in {True, False}, "neither yes nor no")
    delay = rules.crawl_delay(_AGENT)
    require(delay is None or isinstance(delay, int | float), "no delay")
    entries = read_feed(data)
    storable(entries or ())
    require(len(entries or ()) <= _MOST_ENTRIES, "more entries than are read")
    for entry in entries or ():
        require(entry.address.startswith(("http://", "https://")), "no address")
        require(max(map(len, (entry.title, entry.text))) <= _MOST_CHARS, "a long text")
        require(
            entry.day is None or 1000 <= entry.day.year < 3000, f"no day: {entry.day}"
        )
    _archive(data, text)
    words = plain(text, 300)
    storable(words)
    require(len(words) <= 300 and "\n" not in words, "no line")


def _archive(data: bytes, text: str) -> None:
    snapshot = read_availability(data, _HOSTS)
    if snapshot is not None:
        _ = snapshot.captured_at
        try:
            storable(AddressWall().check_url(snapshot.raw_url))
        except ForbiddenAddressError:
            return
        _ = is_wayback(text, _HOSTS)
    day = wanted_date(Source(SourceForm.TEXT, "", published=text))
    require(availability_url("https://a.example", text, day).isascii(), "no address")


TARGET = Target(
    name="site_files",
    promises="a yes or no of robots.txt in bounded time, and entries that can be stored",
    check=check,
    words=(
        b"User-agent: *\n", b"User-agent: Sidenote\n", b"Disallow: /", b"Allow: /", b"*a" * 9,
        b"$\n", b"*", b"Crawl-delay: 5\n", b"Crawl-delay: nan\n", b"Crawl-delay: 1e400\n",
        b"Request-rate: 1/5s\n", b"Visit-time: 0100-2300\n", b"Sitemap: x\n", b"%", b"%zz",
        b"\xef\xbb\xbf", b"\r", b"#", b":", b"<rss>", b"<channel>", b"<item>", b"</item>",
        b"<link>http://a.example/b</link>", b"<title>", b"</title>", b"<feed>", b"<entry>",
        b"<pubDate>Mon, 01 Jan 0001 00:00:00 +2359</pubDate>", b"<updated>9999-12-31T23:59:59-12:00",
        b"</updated>", b"<guid isPermaLink='false'>", b"<link href='http://a' rel='alternate'/>",
        b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&b;", b"<![CDATA[", b"]]>", b"<rdf:RDF>", b"&#x110000;",
        b"<description>&lt;b&gt;x", b"xml:lang='de'", b"3 days ago", b"\0", b"\xff",
    ),
    seeds=(
        b"User-agent: *\nDisallow: /a*b$\nAllow: /ab/\nCrawl-delay: 5\n\nUser-agent: x\nDisallow: /",
        b"<rss><channel><language>de</language><item><title>T</title><link>http://a.example/b"
        b"</link><pubDate>Mon, 02 Nov 2026 10:00:00 +0100</pubDate><description>&lt;p&gt;Words"
        b"</description></item></channel></rss>",
        b'{"archived_snapshots":{"closest":{"available":true,"status":"200","url":'
        b'"http://web.archive.org/web/20200102030405/http://a.example/b"}}}', b"12 May 2020",
        b"2020-05", b"May 2020", b"2020",
        b"<rss><channel><item><link>http://a.example/b</link><pubDate>5 minutes ago</pubDate>"
        b"</item><item><guid>http://a.example/c</guid><pubDate>3 days ago</pubDate></item><item>"
        b"<link>http://a.example/d</link><pubDate>1 May 2026</pubDate></item></channel></rss>",
        b'{"archived_snapshots":{"closest":{"available":true,"status":"200","url":'
        b'"http://web.archive.org/web/2020/http://[::1]/"}}}',
        b"<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>T</title><link href="
        b"'https://a.example/c'/><updated>2026-11-02T10:00:00Z</updated><content>x</content>"
        b"</entry></feed>",
    ),
)  # fmt: skip
