"""A small wiki in memory, as strict as MediaWiki where the gate could go wrong.

It knows only what the gate may ask. A parameter that it does not know, a write
without a base, to a place or by an account that is not allowed: all are failures of
the test, whatever MediaWiki would make of them.
"""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import md5
from typing import Any

BOT = "SidenoteBot"
LOCAL = {
    -2: "Medium",
    -1: "Spezial",
    0: "",
    1: "Diskussion",
    2: "Benutzer",
    3: "Benutzer Diskussion",
    4: "Projekt",
    5: "Projekt Diskussion",
    6: "Datei",
    7: "Datei Diskussion",
    8: "MediaWiki",
    9: "MediaWiki Diskussion",
    10: "Vorlage",
    11: "Vorlage Diskussion",
    14: "Kategorie",
    15: "Kategorie Diskussion",
    100: "Portal",
    101: "Portal Diskussion",
}
_ENGLISH = {"Talk": 1, "User": 2, "User talk": 3, "Special": -1, "Template": 10}
_INTERWIKI = frozenset({"de", "en", "commons"})
_READ = frozenset(
    {"action", "format", "formatversion", "maxlag", "assert", "assertuser", "titles"}
    | {"prop", "rvprop", "rvslots", "rvend", "rvlimit", "rvsection", "meta", "revids"}
    | {"uiprop", "curtimestamp", "list", "ucuser", "uclimit", "ucprop"}
    | {"letitle", "leend", "lelimit", "leprop", "siprop", "type"}
    | {"tgprop", "tgcontinue", "tglimit"}
)
_WRITE = frozenset(
    {"action", "format", "formatversion", "maxlag", "assert", "assertuser", "title"}
    | {"appendtext", "text", "section", "baserevid", "nocreate", "createonly"}
    | {"starttimestamp", "summary", "md5", "watchlist", "bot", "tags", "token"}
)
_NOBODY = {"id": 0, "name": "127.0.0.1", "anon": True}
_SECTION = re.compile(r"^(==+)[^=].*==[ \t]*$", re.MULTILINE)


class TooMuchError(AssertionError):
    """The gate did what it may never do."""


@dataclass
class Revision:
    number: int
    user: str
    text: str
    comment: str
    at: datetime
    parent: int = 0


@dataclass
class Page:
    title: str
    namespace: int
    revisions: list[Revision]
    model: str = "wikitext"

    @property
    def newest(self) -> Revision:
        return self.revisions[-1]


@dataclass
class ModelWiki:
    """The wiki. `errors` are answered to writes, in order, instead of doing them.

    `tags` are its change tags, `tagged` those that its edits were saved with.
    """

    pages: dict[str, Page] = field(default_factory=dict)
    edits: list[Revision] = field(default_factory=list)
    deletions: list[tuple[str, datetime]] = field(default_factory=list)
    moves: list[tuple[str, str, datetime]] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    errors: list[dict[str, Any]] = field(default_factory=list)
    now: datetime = datetime(2026, 11, 21, 12, tzinfo=UTC)
    messages: bool = False
    block: dict[str, Any] = field(default_factory=dict)
    merges: bool = True
    written: list[str] = field(default_factory=list)  # titles, one for each write
    logins: int = 0
    tags: tuple[str, ...] = ()
    rights: tuple[str, ...] = ("applychangetags",)
    tagged: list[str] = field(default_factory=list)
    _revision: int = 100

    # --- people ---------------------------------------------------------------

    def put(self, title: str, text: str, user: str = "Ada", comment: str = "") -> int:
        """Save a page whole."""
        self._revision += 1
        namespace, full = self.place(title)
        page = self.pages.setdefault(full, Page(full, namespace, []))
        parent = page.newest.number if page.revisions else 0
        revision = Revision(self._revision, user, text, comment, self.now, parent)
        page.revisions.append(revision)
        self.edits.append(revision)
        return revision.number

    def delete(self, title: str) -> None:
        """Delete a page; its edits are listed no longer."""
        gone = self.pages.pop(title).revisions
        self.edits = [each for each in self.edits if each not in gone]
        self.deletions.append((title, self.now))

    def move(self, title: str, to: str) -> None:
        """Move a page, which leaves a redirect."""
        page = self.pages.pop(title)
        namespace, full = self.place(to)
        page.title, page.namespace = full, namespace
        self.pages[full] = page
        self.moves.append((title, full, self.now))
        self.put(title, f"#REDIRECT [[{to}]]")

    def text(self, title: str) -> str:
        return self.pages[title].newest.text

    def go(self, task: str, word: str = "run") -> None:
        """Let a task of the bot run, or stop it."""
        self.put(f"Benutzer:{BOT}/Run/{task}", word, "Operator")

    # --- titles, as MediaWiki reads them ----------------------------------------

    def place(self, written: str) -> tuple[int, str]:
        """Return namespace and full title; raises ValueError where there is none."""
        line = " ".join(written.replace("_", " ").split()).lstrip(":").strip()
        line = line.partition("#")[0].strip()
        prefix, colon, rest = line.partition(":")
        names = {name.lower(): number for number, name in LOCAL.items() if name}
        names |= {name.lower(): number for name, number in _ENGLISH.items()}
        number = names.get(prefix.strip().lower()) if colon else None
        if colon and prefix.strip().lower() in _INTERWIKI:
            raise LookupError(prefix)
        if number is None:
            number, rest = 0, line
        rest = rest.strip()
        if not rest or re.search(r"[<>\[\]|{}\x00-\x1f]", rest) or rest[0] == ":":
            raise ValueError(written)
        inner = rest.partition(":")[0].strip().lower()
        if number == 1 and ":" in rest and (inner in names or inner in _INTERWIKI):
            raise ValueError(written)
        rest = rest[0].upper() + rest[1:]
        return number, f"{LOCAL[number]}:{rest}" if LOCAL[number] else rest

    # --- the API ---------------------------------------------------------------

    def api(self, session: str, given: dict[str, str]) -> dict[str, Any]:
        """Answer a request that comes with the cookie `session`."""
        action = given.get("action")
        wants_user = given.get("assertuser") if "assert" not in given else None
        if wants_user and (session not in self.sessions or wants_user != BOT):
            return _error("assertnameduserfailed")
        if given.get("assert") == "user" and session not in self.sessions:
            return _error("assertuserfailed")
        if action == "edit":
            return self._edit(session, given)
        if set(given) - _READ and action == "query":
            raise TooMuchError(f"asked for {sorted(set(given) - _READ)}")
        if action == "query":
            return self._query(session, given)
        raise TooMuchError(f"action {action}")

    def log_in(self, session: str) -> None:
        """Begin a session of the bot's."""
        self.logins += 1
        self.sessions.add(session)

    def log_out(self, session: str) -> None:
        self.sessions.discard(session)

    def _query(self, session: str, given: dict[str, str]) -> dict[str, Any]:
        if "titles" in given and not given["titles"].startswith("\x1f"):
            raise TooMuchError("titles could be taken for several")
        query: dict[str, Any] = {}
        answer: dict[str, Any] = {"batchcomplete": True, "query": query}
        self._list_others(session, given, query)
        if "siteinfo" in given.get("meta", ""):
            query["namespaces"] = {
                str(number): {"id": number, "name": name, "canonical": "x"}
                for number, name in LOCAL.items()
            }
            since = (each for each in sorted(self.tags) if each >= given["tgcontinue"])
            query["tags"] = [{"name": each, "active": True} for each in since][:1]
            return answer
        if "revids" in given:
            query["pages"] = [self._revisions_answer(given)]
            return answer
        self._list_pages(given, query)
        if "curtimestamp" in given:
            answer["curtimestamp"] = f"{self.now:%Y-%m-%dT%H:%M:%SZ}"
        return answer

    def _list_others(
        self, session: str, given: dict[str, str], query: dict[str, Any]
    ) -> None:
        if "tokens" in given.get("meta", ""):
            query["tokens"] = {"csrftoken": self.token(session)}
        if "userinfo" in given.get("meta", ""):
            rights = ["edit", *self.rights]
            is_bot = session in self.sessions
            query["userinfo"] = {
                **({"id": 1, "name": BOT} if is_bot else _NOBODY),
                "messages": self.messages,
                "rights": rights,
                **self.block,
            }
        if "usercontribs" in given.get("list", ""):
            self._list_edits(given, query)
        if "logevents" in given.get("list", ""):
            self._list_events(given, query)

    def token(self, session: str) -> str:
        return f"token of {session}+\\" if session in self.sessions else "+\\"

    def _list_pages(self, given: dict[str, str], query: dict[str, Any]) -> None:
        found, normalized = [], []
        for written in filter(None, given.get("titles", "").split("\x1f")):
            try:
                namespace, full = self.place(written)
            except ValueError:
                found.append({"title": written, "invalid": True, "ns": 0})
                continue
            except LookupError:
                query.setdefault("interwiki", []).append({"title": written, "iw": "de"})
                continue
            if full != written:
                normalized.append({"from": written, "to": full, "fromencoded": False})
            found.append(self._page_answer(full, namespace, given))
        query["pages"] = found
        if normalized:
            query["normalized"] = normalized

    def _page_answer(
        self, full: str, namespace: int, given: dict[str, str]
    ) -> dict[str, Any]:
        page = self.pages.get(full)
        answer: dict[str, Any] = {"title": full, "ns": namespace}
        if namespace < 0:
            return {**answer, "special": True}
        if page is None:
            return {**answer, "missing": True, "contentmodel": "wikitext"}
        shown = [page.newest]
        if "rvlimit" in given:
            since = datetime.fromisoformat(given["rvend"])
            shown = [each for each in page.revisions[::-1] if each.at >= since]
        revisions = []
        for each in shown:
            content: str | None = each.text
            if "rvsection" in given:
                place = _section(each.text, int(given["rvsection"]))
                content = each.text[place].rstrip() if place else None
            if content is not None:
                revisions.append(_as_json(each, page.model, content))
        is_redirect = page.newest.text.startswith("#REDIRECT")
        redirect = {"redirect": True} if is_redirect else {}
        return {
            **answer,
            **redirect,
            "contentmodel": page.model,
            "revisions": revisions,
        }

    def _revisions_answer(self, given: dict[str, str]) -> dict[str, Any]:
        numbers = {int(each) for each in given["revids"].split("|")}
        answer = [
            _as_json(each, page.model, each.text)
            for page in self.pages.values()
            for each in page.revisions
            if each.number in numbers
        ]
        return {"title": "Any", "ns": 1, "revisions": answer}

    def _list_edits(self, given: dict[str, str], query: dict[str, Any]) -> None:
        query["usercontribs"] = [
            {"revid": each.number, "comment": each.comment}
            for each in reversed(self.edits)
            if each.user == given["ucuser"]
        ]

    def _list_events(self, given: dict[str, str], query: dict[str, Any]) -> None:
        since, title = datetime.fromisoformat(given["leend"]), given["letitle"]
        deletions = [
            {"type": "delete", "action": "delete", "params": {}}
            for gone, at in self.deletions
            if gone == title and at >= since
        ]
        moves = [
            {"type": "move", "action": "move", "params": {"target_title": to}}
            for moved, to, at in self.moves
            if moved == title and at >= since
        ]
        query["logevents"] = [*deletions, *moves]

    def _edit(self, session: str, given: dict[str, str]) -> dict[str, Any]:
        self._require_manners(given)
        if given["token"] != self.token(session) or session not in self.sessions:
            return _error("badtoken")
        is_tagged_well = given.get("tags", "") in {"", *self.tags}
        if self.errors or not is_tagged_well:
            return self.errors.pop(0) if self.errors else _error("badtags")
        self.tagged.append(given.get("tags", ""))
        sent = given.get("appendtext", given.get("text", ""))
        if md5(sent.encode(), usedforsecurity=False).hexdigest() != given["md5"]:
            return _error("badmd5")
        namespace, full = self.place(given["title"])
        if full != given["title"]:
            raise TooMuchError(f"wrote to {given['title']!r}, which is {full!r}")
        page = self.pages.get(full)
        if page is None:
            return self._create(full, given, sent)
        if "createonly" in given:
            return _error("articleexists")
        self._require_place(full, namespace, page)
        return self._change(page, given, sent)

    def _require_manners(self, given: dict[str, str]) -> None:
        if unknown := set(given) - _WRITE:
            raise TooMuchError(f"wrote with {sorted(unknown)}")
        for needed in ("assertuser", "maxlag", "summary", "md5", "token"):
            if not given.get(needed):
                raise TooMuchError(f"wrote without {needed}")
        if ("baserevid" in given) == ("createonly" in given):
            raise TooMuchError("wrote without a base")
        if ("baserevid" in given) != ("nocreate" in given):
            raise TooMuchError("wrote a page that could have been deleted")

    def _require_place(self, full: str, namespace: int, page: Page) -> None:
        is_talk = namespace > 0 and namespace % 2 == 1
        if not is_talk and namespace != 2:
            raise TooMuchError(f"wrote to the article {full!r}")
        stop = self.pages.get(f"Benutzer:{BOT}/Run/talk")
        if stop is None or stop.newest.text != "run":
            raise TooMuchError("wrote although the task was stopped")
        if page.revisions and page.newest.text.startswith("#REDIRECT"):
            raise TooMuchError("wrote to a redirect")

    def _create(self, full: str, given: dict[str, str], sent: str) -> dict[str, Any]:
        if "nocreate" in given:
            return _error("missingtitle")
        began = datetime.fromisoformat(given["starttimestamp"])
        if any(title == full and at > began for title, at in self.deletions):
            return _error("pagedeleted")
        namespace, _ = self.place(full)
        self._require_place(full, namespace, Page(full, namespace, []))
        return self._save(full, sent, given["summary"], 0)

    def _change(self, page: Page, given: dict[str, str], sent: str) -> dict[str, Any]:
        base = int(given["baserevid"])
        old = next((each for each in page.revisions if each.number == base), None)
        if old is None:
            return _error("editconflict")
        text = sent
        if "appendtext" in given:
            text = page.newest.text + sent  # of the newest revision, not of the base
        elif "section" in given:
            place = _section(old.text, int(given["section"]))
            if place is None:
                return _error("nosuchsection")
            after = old.text[place.stop :]
            before = sent.rstrip("\n") + ("\n\n" if sent and after else "")
            text = f"{old.text[: place.start]}{before}{after}"
        # MediaWiki merges where nothing overlaps, as after an undoing.
        can_merge = self.merges and page.newest.text == old.text
        if page.newest.number != base and not can_merge:
            return _error("editconflict")
        return self._save(page.title, text, given["summary"], page.newest.number)

    def _save(self, title: str, text: str, summary: str, old: int) -> dict[str, Any]:
        self.written.append(title)
        if old and self.pages[title].newest.text == text.rstrip():
            edit = {"result": "Success", "nochange": True}
            return {"edit": edit}
        number = self.put(title, text.rstrip(), BOT, summary)
        return {"edit": {"result": "Success", "newrevid": number, "oldrevid": old}}

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def _section(text: str, number: int) -> slice | None:
    """Return where a section is, with its subsections."""
    headings = [
        (0, 0),
        *((each.start(), len(each[1])) for each in _SECTION.finditer(text)),
    ]
    if number >= len(headings):
        return None
    start, level = headings[number]
    later = headings[number + 1 :]
    ends = (at for at, other in later if other <= level or number == 0)
    return slice(start, next(ends, len(text)))


def _as_json(revision: Revision, model: str, content: str) -> dict[str, Any]:
    return {
        "revid": revision.number,
        "parentid": revision.parent,
        "timestamp": f"{revision.at:%Y-%m-%dT%H:%M:%SZ}",
        "user": revision.user,
        "comment": revision.comment,
        "slots": {"main": {"contentmodel": model, "content": content}},
    }


def _error(code: str) -> dict[str, Any]:
    return {"error": {"code": code, "info": f"about {code}"}}
