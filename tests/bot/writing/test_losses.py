"""Posts to a real wiki over a network that drops and delays, once and for all."""

import socket
from datetime import UTC, datetime

import pytest

from bot.records.posts import NotNow, Posted, Unclear
from tests.bot.writing.place import Place, at, page, post_to
from tests.rig.wiki.recorder import Fate, Loss, Recorder, at_random, writes_go

pytestmark = pytest.mark.mediawiki
__all__ = ["at", "page"]


@pytest.mark.parametrize("loss", list(Loss))
def test_a_write_that_the_network_spoils_is_made_once(
    at: Place, recorder: Recorder, page: str, loss: Loss
) -> None:
    intended_post, began = post_to(page), datetime.now(UTC)
    recorder.plan = writes_go(Fate(loss, before_s=0.2))

    first = at.attempt(intended_post)
    again = at.attempt(intended_post, before=began, tries=2)
    if loss is Loss.LATE and isinstance(again, NotNow):  # it came in between
        again = at.attempt(intended_post, before=began, tries=3)
    recorder.settle()

    assert isinstance(first, Posted if loss is Loss.NONE else Unclear)
    assert isinstance(again, Posted)
    assert (
        at.ada.text(page)
        == f"== Question ==\nWhich lantern?{intended_post.change.text}"
    )
    writes = [write for write in recorder.writes if write.revision_id]
    assert writes[-1].revision_id == again.revision_id


def test_writes_on_a_bad_network_are_made_once(
    at: Place, recorder: Recorder, page: str
) -> None:
    posts = [post_to(page) for _ in range(3)]
    recorder.plan = at_random(2026, 0.5, longest_s=0.02)
    lost = recorder.lost

    for intended_post in posts:
        before = None
        for tries in range(1, 60):
            outcome = at.attempt(intended_post, before=before, tries=tries)
            if isinstance(outcome, Posted):
                break
            assert isinstance(outcome, NotNow | Unclear)
            if isinstance(outcome, Unclear):
                before = before or intended_post.asked_at
    recorder.settle()

    text = at.ada.text(page)
    assert [text.count(str(intended_post.change.text)) for intended_post in posts] == [
        1
    ] * 3
    assert recorder.lost > lost + 3


def test_half_a_form_of_somebody_who_was_killed_is_no_write(recorder: Recorder) -> None:
    before = len(recorder.writes)
    host, _, port = recorder.host.partition(":")
    head = b"POST /w/api.php HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n"

    with socket.create_connection((host, int(port)), timeout=30) as sending:
        sending.sendall(head + b"action=edit&title=Eastmere")
        sending.shutdown(socket.SHUT_WR)
        assert sending.recv(1) == b""

    assert len(recorder.writes) == before
