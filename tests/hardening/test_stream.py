"""A small piece of what `./dev hardening` does to the feed."""

from tests.hardening.stream import try_disconnects, try_endless_line, try_streams


async def test_no_event_of_a_crowded_millisecond_is_lost_however_often_it_is_cut() -> (
    None
):
    assert (await try_disconnects(40, seed=8)).faults == []


def test_a_stream_says_the_same_however_it_is_divided() -> None:
    assert try_streams(300, seed=8).faults == []


async def test_what_comes_behind_a_line_without_end_is_read() -> None:
    assert (await try_endless_line(16 * 1024 * 1024)).faults == []
