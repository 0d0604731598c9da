"""Buckets, places and addresses, with a clock that is moved by hand."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gadget.limits import Buckets, Places, Rate, client_of


class _Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_so_many_at_once_and_then_so_many_a_minute() -> None:
    clock = _Clock()
    buckets = Buckets(Rate(60, at_once=2), clock)

    assert [buckets.wait_s("a") for _ in range(3)] == [0, 0, 1]
    assert buckets.wait_s("b") == 0
    clock.now_s += 0.5
    assert buckets.wait_s("a") == pytest.approx(0.5)
    clock.now_s += 0.5
    assert buckets.wait_s("a") == 0
    clock.now_s += 1000
    assert [buckets.wait_s("a") > 0 for _ in range(3)] == [False, False, True]


def test_a_rate_of_none_counts_nothing() -> None:
    buckets = Buckets(Rate(0), _Clock())

    assert not any(buckets.wait_s("a") for _ in range(1000))
    assert len(buckets) == 0


@given(st.lists(st.tuples(st.integers(0, 40), st.floats(0, 3)), max_size=80))
def test_nobody_is_given_more_than_the_rate_and_no_more_are_remembered(
    requests: list[tuple[int, float]],
) -> None:
    clock = _Clock()
    buckets = Buckets(Rate(60, at_once=5), clock, most=50)
    given_to: dict[int, int] = {}
    for client, pause_s in requests:
        clock.now_s += pause_s
        wait_s = buckets.wait_s(str(client))
        assert wait_s <= 1
        given_to[client] = given_to.get(client, 0) + (not wait_s)
    passed_s = clock.now_s - 100
    assert all(count <= 5 + passed_s + 1e-6 for count in given_to.values())


def test_a_flood_of_askers_is_not_remembered() -> None:
    buckets = Buckets(Rate(60, at_once=1), _Clock(), most=3)

    for number in range(100):
        buckets.wait_s(str(number))

    assert len(buckets) == 3
    assert buckets.wait_s("99") > 0


def test_places_are_given_back_also_after_a_failure() -> None:
    places = Places(most=3, most_each=2)

    with places.take("a") as first, places.take("a") as second:
        with places.take("a") as third, places.take("b") as other:
            assert (first, second, third, other) == (True, True, False, True)
            with places.take("c") as more:
                assert not more
        assert len(places) == 2
    with pytest.raises(ValueError, match="on purpose"), places.take("a"):
        raise ValueError("on purpose")
    assert len(places) == 0


@pytest.mark.parametrize(
    ("remote", "forwarded", "trusts", "client"),
    [
        ("192.0.2.1", [], False, "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], False, "192.0.2.1"),
        ("192.0.2.1", ["198.51.100.7"], True, "198.51.100.7"),
        ("192.0.2.1", ["203.0.113.9, 198.51.100.7"], True, "198.51.100.7"),
        ("192.0.2.1", ["203.0.113.9", "198.51.100.7"], True, "198.51.100.7"),
        ("192.0.2.1", ["198.51.100.7, "], True, "192.0.2.1"),
        ("192.0.2.1", ["a lie"], True, "unknown"),
        ("2001:db8::1", [], False, "2001:db8::/64"),
        ("2001:db8::ffff:2", [], False, "2001:db8::/64"),
        ("::ffff:192.0.2.1", [], False, "192.0.2.1"),
        (None, [], False, "unknown"),
    ],
)
def test_only_a_proxy_of_ours_says_who_asks(
    remote: str | None, forwarded: list[str], trusts: bool, client: str
) -> None:
    assert client_of(remote, forwarded, trusts_proxy=trusts) == client


def test_what_is_no_address_is_one_asker() -> None:
    client: Callable[[str], str] = lambda one: client_of(one, [], trusts_proxy=False)  # noqa: E731

    assert {client("x" * 10_000), client("\0"), client("[::1")} <= {"unknown", "::/64"}
