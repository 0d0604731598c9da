import json
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from bot.sources.fetch import Fetcher
from handlers.model import SourceOutcome
from tests.bot.sources.server import Site
from tests.bot.sources.tools import FakeNames, rig
from tests.shared_data import shared_data


def is_refused(wall: AddressWall, url: str) -> bool:
    try:
        checked = wall.check_url(url)
    except ForbiddenAddressError:
        return True
    assert checked.text.isascii()
    return False


def url_vectors(must: str) -> list[str]:
    path = shared_data("security_corpora/ssrf-vectors/ssrf_vectors.json")
    vectors = json.loads(path.read_text("utf-8"))["url_vectors"]
    return [vector["url"] for vector in vectors if vector["must"] == must]


@pytest.mark.shared_data
async def test_no_known_attack_address_is_connected_to(
    site: Site, connects: list[tuple[str, int]]
) -> None:
    urls = url_vectors("block")
    everything_is_here = EveryName()

    async with rig(site, everything_is_here, wall=AddressWall()) as web:
        answers = {url: await web.fetcher.fetch(url) for url in urls}

    let_through = {
        url: answer
        for url, answer in answers.items()
        if getattr(answer, "outcome", None) is not SourceOutcome.FORBIDDEN_ADDRESS
    }
    assert let_through == {}
    assert connects == []
    assert len(urls) > 100


class EveryName(FakeNames):
    """Whatever is asked for lives on this machine."""

    def __init__(self) -> None:
        super().__init__({})

    def addresses(self, _: str) -> list[str]:
        return ["127.0.0.1"]


@pytest.mark.shared_data
def test_ordinary_public_addresses_pass() -> None:
    refused = [url for url in url_vectors("allow") if is_refused(AddressWall(), url)]

    assert refused == []


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://LocalHost./",
        "http://printer.local/",
        "http://metadata/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://0x7f.0.0.1/",
        "http://2130706433/",
        "http://127.0.0.1./",
        "http://public.example[2606:4700::1111]/",
        "http://[2606:4700::1111].public.example/",
        "http://①②⑦.⓪.⓪.①/",
        "http://127。0。0。1/",
        "http://[::ffff:10.0.0.1]/",
        "http://[::ffff:0a00:1]/",
        "http://[64:ff9b::1]/",
        "http://[2002:7f00:1::]/",
        "http://[fe80::1%25eth0]/",
        "http://user@example.org/",
        "http://example.org\\@127.0.0.1/",
        "http://example.org:8080/",
        "http://example.org:0/",
        "http://example.org/a b",
        "http://example.org/%0d%0aHost:x",
        "http://exa%6dple.org/",
        "http://example..org/",
        "http://.example.org/",
        "http://-example.org/",
        f"http://{'a' * 64}.example.org/",
        f"http://{'a.' * 127}org/",
        "http://xn--/",
        "http://xn--a.example/\ud800",
        "http://example.org/\ud800",
        f"http://example.org/{'a' * 8000}",
        "http://db.svc.cluster.example/",
        "https://sidenote.toolforge.org/",
        "https://toolforge.org/",
        "ftp://example.org/",
        "//example.org/",
        "http:/example.org/",
        "example.org",
        "",
    ],
)
def test_an_address_that_is_odd_or_internal_is_refused(url: str) -> None:
    assert is_refused(AddressWall(), url)


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("HTTP://Example.ORG", "http://example.org/"),
        ("http://example.org.:80/a#part", "http://example.org/a"),
        ("https://example.org:443/?q=%2C,+x", "https://example.org/?q=%2C,+x"),
        ("http://example.org/käse?ü", "http://example.org/k%C3%A4se?%C3%BC"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://a_b.example/100%", "http://a_b.example/100%"),
        ("http://example.org/\udce9", "http://example.org/%E9"),
        (
            "https://web.archive.org/web/2020id_/http://a.org/?b",
            "https://web.archive.org/web/2020id_/http://a.org/?b",
        ),
    ],
)
def test_a_public_address_is_sent_as_it_was_written(written: str, sent: str) -> None:
    assert AddressWall().check_url(written).text == sent


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.1", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254",
        "168.63.129.16", "169.254.169.254", "172.31.0.1", "192.0.0.192", "192.0.2.1",
        "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
        "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1",
        "::ffff:168.63.129.16", "::ffff:192.0.0.192", "::ffff:224.0.0.1",
        "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1",
        "2002:808:808::1", "2a00::5efe:8.8.8.8", "2a00::200:5efe:8.8.8.8", "3fff::1",
        "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1",
        "185.15.56.1", "185.15.57.25", "2a02:ec80:a000:4000::1", "2a02:ec80:a100:1::1",
        "fe80::1%lo", "not an address",
    ],
)  # fmt: skip
def test_an_internal_address_is_not_connected_to(address: str) -> None:
    with pytest.raises(ForbiddenAddressError):
        AddressWall().check_address(address, 80)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8", "100.63.255.254", "2001:4860:4860::8888", "::ffff:8.8.8.8",
        "185.15.59.224", "208.80.154.224", "2a02:ec80:300:ed1a::1",  # wikis, not the cloud
    ],
)  # fmt: skip
def test_a_public_address_may_be_connected_to(address: str) -> None:
    AddressWall().check_address(address, 80)


PIECES = st.sampled_from(
    ["http://", "https://", "//", "/", "@", ":", ".", "[", "]", "\\", "%", "#", "?",
     "127.0.0.1", "::1", "localhost", "0x7f", "1", "①", "。", "xn--", "example.org",
     "svc", "%0d", "\x00", "\ud800", "\u200d", "é"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=40))
def test_any_text_at_all_is_either_refused_or_sent_in_a_form_that_stays_the_same(
    text: str,
) -> None:
    wall = AddressWall()

    try:
        checked = wall.check_url(text)
    except ForbiddenAddressError:
        return

    assert wall.check_url(checked.text) == checked
    assert URL(checked.text, encoded=True).raw_host == checked.host
    assert URL(checked.text, encoded=True).port == checked.port


def test_an_exemption_is_for_one_address_and_one_port() -> None:
    wall = AddressWall(allowed=frozenset({("127.0.0.1", 8001)}))

    assert not is_refused(wall, "http://127.0.0.1:8001/")
    assert is_refused(wall, "http://127.0.0.1/")
    assert is_refused(wall, "http://127.0.0.2:8001/")
    assert is_refused(wall, "http://[::ffff:127.0.0.1]:8001/")
    assert is_refused(wall, "http://localhost:8001/")


def test_an_operator_can_close_further_networks_and_hosts() -> None:
    wall = AddressWall(
        domains=frozenset({"example.org"}), networks=(ip_network("8.8.8.0/24"),)
    )

    assert is_refused(wall, "http://www.example.org/")
    assert is_refused(wall, "http://8.8.8.8/")
    assert not is_refused(wall, "http://notexample.org/")


async def test_a_refusal_says_why_in_one_plain_line(fetcher: Fetcher) -> None:
    answer = await fetcher.fetch("http://10.0.0.1/")

    assert getattr(answer, "detail", None) == (
        "the host leads to an internal address (private network)"
    )
