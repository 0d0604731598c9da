"""What deploying plans, and the definition of the gadget."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.records.posts import NotNow, Outcome, Posted, Refusal, Refused, Unclear
from bot.surfaces.messages import LANGUAGES, Words
from gadget.deployment import (
    Change,
    Group,
    Step,
    WantedPage,
    carry_out,
    checked_backend,
    for_everybody,
    merged,
    plan,
    summary_of,
    wanted_pages,
)
from handlers.ports import PermanentError, TemporaryError

PAGE = WantedPage("MediaWiki:Gadget-sidenote.css", "new", Group.SCRIPTS)


@dataclass(frozen=True)
class DeployedPage:
    text: str | None = None
    revision_id: int = 0
    comment: str = ""
    user: str = ""


@dataclass
class Wiki:
    """Pages that can be written, but for one that says something of its own."""

    deployed: dict[str, DeployedPage] = field(default_factory=dict)
    odd: dict[str, Outcome | Exception] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)

    def pages(self, titles: Collection[str]) -> Mapping[str, DeployedPage]:
        return {title: self.deployed.get(title, DeployedPage()) for title in titles}

    def write(self, title: str, text: str, summary: str, *, base: int) -> Outcome:
        answer = self.odd.get(title)
        if isinstance(answer, Exception):
            raise answer
        if answer is not None:
            return answer
        now = self.pages([title])[title]
        assert now.revision_id == base
        self.deployed[title] = DeployedPage(text, base + 1, summary, "Admin")
        self.written.append(title)
        return Posted(base + 1)


def step_of(standing: DeployedPage, page: WantedPage = PAGE) -> Step:
    return plan([page], {page.title: standing})[0]


def test_what_is_there_already_is_left_alone() -> None:
    assert step_of(DeployedPage("new\n", 3)).change is Change.NONE


def test_what_an_earlier_deployment_wrote_is_brought_up_to_date() -> None:
    step = step_of(DeployedPage("old", 3, f"/* x */ {summary_of('old')}", "Admin"))
    assert (step.change, step.base) == (Change.NEWER, 3)
    assert "-old" in step.diff
    assert "+new" in step.diff


@pytest.mark.parametrize(
    "comment", ["", "Sidenote is nice", summary_of("other"), summary_of("old")[:-40]]
)
def test_what_somebody_else_wrote_is_theirs(comment: str) -> None:
    step = step_of(DeployedPage("old", 3, comment, "Eve"))
    assert step.change is (
        Change.NEWER if summary_of("old")[:25] in comment else Change.THEIRS
    )


def test_the_definition_is_everybodys_and_never_theirs() -> None:
    page = WantedPage("MediaWiki:Gadgets-definition", "", Group.DEFINITION)
    step = step_of(DeployedPage("* x|x.js", 3, "", "Eve"), page)
    assert step.change is Change.NEWER
    assert step.after.startswith("* x|x.js\n* sidenote[")


def test_the_definition_comes_last_and_the_panel_before_what_opens_it() -> None:
    pages = wanted_pages("https://notes.example", "SidenoteBot")
    titles = [page.title for page in pages]
    assert titles[-1] == "MediaWiki:Gadgets-definition"
    assert titles.index("MediaWiki:Gadget-sidenote-panel.js") < titles.index(
        "MediaWiki:Gadget-sidenote.js"
    )
    assert len({page.file for page in pages}) == len(pages)
    assert all(page.text == page.text.rstrip() for page in pages)
    only = wanted_pages("https://notes.example", "SidenoteBot", [Group.TEMPLATES])
    assert {page.group for page in only} == {Group.TEMPLATES}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_documents_name_the_bot_and_the_server(language: str) -> None:
    groups = [Group.DOCUMENTATION, Group.SCRIPTS]
    pages = wanted_pages("https://notes.example", "NoteBot", groups, language=language)
    entry = next(page for page in pages if page.title == "MediaWiki:Gadget-sidenote")
    pages = tuple(page for page in pages if page.group is Group.DOCUMENTATION)
    title = Words(language).say("panel-title")
    assert title in entry.text
    assert "User:NoteBot/privacy" in entry.text
    assert {page.title for page in pages} == {
        "User:NoteBot/gadget",
        "User:NoteBot/privacy",
    }
    for page in pages:
        assert "notes.example" in page.text
        assert "SIDENOTE_" not in page.text
        assert title in page.text
        assert "User:NoteBot" in page.text


@pytest.mark.parametrize(
    "address",
    [
        "http://notes.example",
        "https://notes.example/../panel",
        "https://notes.example/?a",
        "https://a@notes.example",
        "javascript:alert(1)",
        "notes.example",
        "https://",
        "https://notes.example\n",
        "https://notes.example'",
        "https://notes.example:99999",
    ],
)
def test_an_address_that_a_wiki_could_not_ask_is_refused(address: str) -> None:
    with pytest.raises(PermanentError, match="cannot be the backend"):
        checked_backend(address)


def test_the_backend_is_always_named_alike() -> None:
    assert checked_backend("https://Notes.Example/") == "https://notes.example"
    assert checked_backend("https://a.example/b/") == "https://a.example/b"
    assert checked_backend("http://127.0.0.1:8137") == "http://127.0.0.1:8137"


def steps(wiki: Wiki) -> tuple[Step, ...]:
    pages = [replace(PAGE, title=name) for name in "abc"]
    return plan(pages, wiki.pages("abc"))


def test_all_is_written_in_order_and_then_nothing() -> None:
    wiki = Wiki()
    done = carry_out(wiki, steps(wiki), lambda _: None)
    done.require_done()
    assert done.written == ("a", "b", "c")
    assert carry_out(wiki, steps(wiki), lambda _: None).written == ()
    assert wiki.written == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("odd", "error", "message"),
    [
        (Refused(Refusal.PROTECTED, "no rights"), PermanentError, "b: no rights"),
        (NotNow("edited meanwhile", 2), TemporaryError, "b: edited meanwhile"),
        (Unclear("lost"), PermanentError, "b: lost"),
        (TemporaryError("out of reach", retry_in_s=3), TemporaryError, "out of reach"),
        (PermanentError("another page"), PermanentError, "b: another page"),
    ],
)
def test_the_first_failure_ends_it_and_a_second_run_goes_on(
    odd: Outcome | Exception, error: type[Exception], message: str
) -> None:
    wiki = Wiki(odd={"b": odd})
    done = carry_out(wiki, steps(wiki), lambda _: None)
    assert (done.written, done.left) == (("a",), ("b", "c"))
    with pytest.raises(error, match=message) as failed:
        done.require_done()
    assert "written: a\nnot written: b, c" in str(failed.value)
    wiki.odd.clear()
    carry_out(wiki, steps(wiki), lambda _: None).require_done()
    assert wiki.written == ["a", "b", "c"]


def test_a_wiki_that_joined_another_edit_to_ours_is_noticed() -> None:
    class Joining(Wiki):
        def pages(self, titles: Collection[str]) -> Mapping[str, DeployedPage]:
            found = dict(super().pages(titles))
            if self.written and "a" in found:
                found["a"] = replace(found["a"], text="new and theirs")
            return found

    wiki = Joining()
    done = carry_out(wiki, steps(wiki), lambda _: None)
    assert done.left == ("a",)
    with pytest.raises(PermanentError, match="another text"):
        done.require_done()


THEIRS = """\
== browsing ==
* popups[ResourceLoader|default]|popups.js|popups.css
* sidenotes-of-another[ResourceLoader]|x.js

== editing ==
* hotcat[ResourceLoader]|hotcat.js"""


def test_an_empty_wiki_gets_our_two_lines() -> None:
    first, second = merged("").split("\n")
    assert first.startswith(
        "* sidenote[ResourceLoader|actions=view,edit,submit|dependencies="
    )
    assert first.endswith("]|sidenote.js|sidenote.css")
    assert second.startswith("* sidenote-panel[ResourceLoader|hidden|dependencies=")


def test_the_lines_of_others_stay_byte_for_byte() -> None:
    text = merged(THEIRS)
    assert text.startswith(THEIRS + "\n* sidenote[")
    assert merged(text) == text


def test_our_lines_stay_where_they_were_put() -> None:
    first, second = merged("").split("\n")
    moved = THEIRS.replace("* popups", f"{first}\n* popups", 1) + f"\n{second}\n"
    assert merged(moved) == moved


def test_what_the_wiki_added_to_our_line_stays() -> None:
    old = "* sidenote [default | ResourceLoader|rights=edit|dependencies=old] | a.js"
    line = merged(old).split("\n")[0]
    assert line.endswith("|default|rights=edit]|sidenote.js|sidenote.css")
    assert "old" not in line
    assert line.count("ResourceLoader") == 1


def test_the_entry_can_be_on_for_everybody() -> None:
    text = for_everybody(THEIRS)
    assert "|default]|sidenote.js" in text
    assert for_everybody(text) == text == merged(text)


def test_the_panel_is_put_behind_the_entry() -> None:
    first, second = merged("").split("\n")
    assert merged(f"{first}\n{THEIRS}") == f"{first}\n{second}\n{THEIRS}"


def test_a_gadget_that_is_defined_twice_is_refused() -> None:
    with pytest.raises(PermanentError, match="2 times"):
        merged("* sidenote|a.js\n* sidenote[x]|b.js")


@given(st.lists(st.text(st.characters(exclude_characters="\n\r"))))
def test_whatever_stands_there_is_kept_and_done_once(lines: list[str]) -> None:
    text = "\n".join(f"x{line}" for line in lines)
    once = merged(text)
    assert merged(once) == once
    ours = merged("").split("\n")
    assert [line for line in once.split("\n") if line not in ours] == text.split("\n")[
        : len(lines)
    ]
