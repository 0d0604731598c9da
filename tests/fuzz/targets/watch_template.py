"""The opt-in template and the box that answers it: nothing from it becomes markup."""

import re

from bot.surfaces.opt_in.community import Community
from bot.surfaces.opt_in.effective import effective
from bot.surfaces.opt_in.scope import Decision
from bot.surfaces.opt_in.watch import read_watch
from bot.surfaces.planning.opt_in_answers import box
from bot.wiki.pages import Namespaces, namespaces
from handlers.page.markup import Kind
from handlers.page.scan import scan
from tests.fuzz.target import Target, require, storable

_BOT = "SidenoteBot"
_WIKI: Namespaces = namespaces({4: "Wikipedia", 5: "Wikipedia talk"}, {"WP": 4, "U": 2})
_PLACES = ("User:Alice/Sidenote", "Talk:Oslo", "Wikipedia talk:WikiProject X", "Oslo")
_WIKIS = tuple(
    map(
        Community.model_validate_json,
        (
            '{"drafts":true,"usersMayAskForTalk":true}',
            "{}",
            '{"checks":["drift"],"surfaces":["talk"],"limits":{"leastInterval":"2 days"}}',
        ),
    )
)
_OURS = re.compile(r"\[\[:[^\[\]{}|<>\n]*\|[^\[\]{}|<>\n]*\]\]")
_AT_LINE_START = re.compile(
    r"^(?:\{\| class=.*|\|\+ |\|-|! scope=.* \| |\| |\* |: |\|\})", re.M
)
_BOLD = re.compile(r"'''(Sidenote|[^'\n]+(?=''' = <code>))'''")
_CODE = re.compile(r" = <code>([^<\n]*)</code>")
# What no page of anybody can put there: the escaped signs, and those that only we set.
_SAFE = re.compile(
    r"(?:[^\x00-\x09\x0b-\x1f\x7f\"#$%&'*/:;<=>?@\[\\\]^_`{|}~!+]|&#\d{1,3};|[:;] )*"
)
_KINDS = frozenset(
    {Kind.TEMPLATE, Kind.ARGUMENT, Kind.REF, Kind.EXTERNAL_LINK, Kind.COMMENT}
)


def check(data: bytes) -> None:
    """Any page is read, and the answer holds no markup but our own."""
    text = data.decode("utf-8", "replace")
    for number, name in enumerate(_PLACES):
        # The first two bytes may also stand for the call itself.
        page = text if number % 2 else f"{{{{User:{_BOT}/watch|{text}}}}}"
        place = _WIKI.title(name)
        assert place is not None
        watch = read_watch(page, place, _BOT, _WIKI)
        if watch is None:
            continue
        storable(watch)
        require(
            watch.answer_at is None or 0 <= watch.answer_at <= len(page), "no place"
        )
        state = effective(watch, _WIKIS[number % len(_WIKIS)], _WIKI)
        _answer(box(state, Decision(), _BOT))


def _answer(shown: str) -> None:
    storable(shown)
    for element in scan(shown).elements:
        require(element.kind not in _KINDS, f"markup from outside: {element}")
        if element.kind is Kind.LINK:
            whole = shown[element.start : element.end]
            require(
                _OURS.fullmatch(whole) or "watch" in whole, f"a foreign link: {whole}"
            )
    words = _OURS.sub("", shown)
    for ours in (_AT_LINE_START, _BOLD, _CODE):
        words = ours.sub(
            lambda found: found[found.lastindex or 0] if found.lastindex else "", words
        )
    require(_SAFE.fullmatch(words), f"a sign with a meaning: {words!r}")


TARGET = Target(
    name="watch_template",
    promises="any page is read, and the box that answers holds no markup from it",
    check=check,
    words=(
        b"{{User:SidenoteBot/watch", b"{{U:sidenoteBot/watch", b"}}", b"{{", b"{{{", b"}}}", b"|",
        b"=", b"|pages=", b"|categories=", b"|drafts=", b"|checks=citations, drift", b"|surface=",
        b"|report=", b"|interval=12 hours", b"|max=5 per week", b"|min-confidence=high",
        b"|languages=en, nb", b"[[", b"]]", b"[[A|b]]", b";", b",", b"\n* ", b"<!--", b"-->",
        b"<nowiki>", b"</nowiki>", b"<ref>", b"~~~~", b"User:Alice/R", b"Category:A", b":A", b"_",
        b"&#91;", b"&amp;", b"&#x7b;", b"http://a.org", b"\0", "\u202e\u200b".encode(),
        "\u0130\u00df\ufb01".encode(), b"99999999999 years", b"0", b"-1 per day", b"1e9", b"%",
        b"1.5", b"daily", b"all", b"none", b"#A", b"../", b"{{PAGENAME}}", b"\xc2\xa0",
    ),
    seeds=(
        b"|pages=Oslo; Talk:Bergen|categories=Bridges|checks=citations|interval=7d|max=5 per day",
        b"x {{User:SidenoteBot/watch|pages=[[A]] and [[B|c]]|intervall=1|report=User:Alice/R}} y",
        b"|drafts=Topic A; Topic B|min-confidence=90%|languages=en,nb,xx|surface=talk,gadget",
        "|pages=''A'' & *b!+; Talk:\u0130\u226e|categories=RFC 1 \u037e//a.org|drafts=''T'' ^ $x"
        "|report=User:Alice/''R''".encode(), b"|drafts=A; B", b"|languages=a''b, $c; d",
        b"|pages=<nowiki>[[A]]</nowiki>|<!-- x -->checks=oops|max=many|unnamed",
        b"{{User:SidenoteBot/watch}}{{User:SidenoteBot/watch|pages=A}}",
    ),
)  # fmt: skip
