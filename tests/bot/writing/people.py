"""People on the real wiki: they make accounts, edit, protect, block and move."""

import html
import re
from dataclasses import dataclass, field
from typing import Any

import requests

PASSWORD = "a passphrase for loopback only"  # noqa: S105 - of accounts made for a test
ADMIN, ADMIN_PASSWORD = "Admin", "for loopback only"


@dataclass
class Person:
    """Somebody with an account, or about to make one."""

    host: str
    name: str
    web: requests.Session = field(default_factory=requests.Session)

    def get(self, **given: str) -> dict[str, Any]:
        return self._content(self.web.get(self._api, params=_formed(given), timeout=60))

    def post(self, action: str, kind: str = "csrf", **given: str) -> dict[str, Any]:
        tokens = self.get(action="query", meta="tokens", type=kind)["query"]["tokens"]
        names = {"login": "lgtoken", "createaccount": "createtoken"}
        given |= {names.get(kind, "token"): tokens[f"{kind}token"], "action": action}
        return self._content(self.web.post(self._api, data=_formed(given), timeout=60))

    def make_account(self) -> "Person":
        answer = self.post(
            "createaccount",
            "createaccount",
            username=self.name,
            password=PASSWORD,
            retype=PASSWORD,
            createreturnurl=f"http://{self.host}/",
        )
        assert answer["createaccount"]["status"] == "PASS", answer
        return self

    def log_in(self, password: str = PASSWORD) -> "Person":
        answer = self.post("login", "login", lgname=self.name, lgpassword=password)
        assert answer["login"]["result"] == "Success", answer
        return self

    def edit(self, title: str, text: str, **more: str) -> int:
        """Save a page whole; return its revision."""
        answer = self.post("edit", title=title, text=text, **more)
        edit: dict[str, Any] = answer["edit"]
        return int(edit.get("newrevid", 0))

    def make_filter(self, rule: str, *, warns: bool) -> None:
        """Make an edit filter, as the form for people does."""
        page = f"http://{self.host}/w/index.php?title=Special:AbuseFilter/new"
        form = self.web.get(page, timeout=60).text
        [token] = re.findall(r'value="([^"]+)" name="wpEditToken"', form)
        action = "wpFilterActionWarn" if warns else "wpFilterActionDisallow"
        given = {
            "wpEditToken": html.unescape(token),
            "wpFilterDescription": "A filter of the tests",
            "wpFilterRules": rule,
            "wpFilterEnabled": "1",
            "wpFilterNotes": "",
            action: "1",
            "wpFilterWarnMessage": "abusefilter-warning",
            "wpFilterDisallowMessage": "abusefilter-disallowed",
        }
        saved = self.web.post(page, data=given, timeout=60)
        assert "result=success" in saved.url, saved.url

    def delete_unseen(self, title: str) -> None:
        """Delete a page as oversighters do, in the form for people: no log shows it."""
        page = f"http://{self.host}/w/index.php"
        form = self.web.get(page, params={"title": title, "action": "delete"}).text
        hidden = [
            (re.search(r'name="(wp\w+)"', each), re.search(r'value="([^"]*)"', each))
            for each in re.findall(r'<input[^>]*type="hidden"[^>]*>', form)
        ]
        given = {
            name[1]: html.unescape(value[1]) for name, value in hidden if name and value
        }
        given |= {"title": title, "action": "delete", "wpReason": "privacy"}
        given |= {"wpSuppress": "1", "wpConfirmB": "1"}
        self.web.post(page, data=given, timeout=60)
        log = self.get(action="query", list="logevents", leaction="suppress/delete")
        found = [each.get("title") for each in log["query"]["logevents"]]
        assert title in found, found

    def text(self, title: str) -> str:
        page = self.get(
            action="query",
            titles=title,
            prop="revisions",
            rvprop="content",
            rvslots="*",
        )["query"]["pages"][0]
        content = page["revisions"][0]["slots"]["main"]["content"]
        return str(content)

    def edits_of(self, name: str) -> list[dict[str, Any]]:
        answer = self.get(
            action="query", list="usercontribs", ucuser=name, uclimit="500"
        )
        found: list[dict[str, Any]] = answer["query"]["usercontribs"]
        return found

    @property
    def _api(self) -> str:
        return f"http://{self.host}/w/api.php"

    def _content(self, answer: requests.Response) -> dict[str, Any]:
        content: dict[str, Any] = answer.json()
        assert "error" not in content, content
        return content


def _formed(given: dict[str, str]) -> dict[str, str]:
    return {**given, "format": "json", "formatversion": "2"}
