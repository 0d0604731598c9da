"""The wall: no address that anybody can write leads to one of our own networks."""

import re
import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urljoin, urlsplit

from yarl import URL

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from tests.fuzz.target import Target, require

_WALL = AddressWall()
_BASE = "https://a.example/b/c?d"
_INSIDE = (
    "localhost",
    "local",
    "internal",
    "wmnet",
    "wmflabs",
    "toolforge.org",
    "wmcloud.org",
)


def check(data: bytes) -> None:
    """Nothing guarded passes, and what passes is read the same by all who read it."""
    text = data.decode("utf-8", "surrogateescape")
    _url(text)
    _redirect(text)
    if len(data) in {4, 16}:
        _address(data)


def _redirect(text: str) -> None:
    try:
        joined = urljoin(_BASE, text)
    except ValueError:
        return
    _url(joined)


def _url(text: str) -> None:
    try:
        checked = _WALL.check_url(text)
    except ForbiddenAddressError:
        return
    text = text.strip(" ")  # as every reader of addresses does
    given = urlsplit(text).netloc
    require(
        "[" not in given or re.match(r"\[[^\[\]]*\](?::\d*)?$", given), "words beside"
    )
    require("@" not in given, "a user name is passed over")
    require(not re.search(r"[\x00-\x20\x7f\\]", text), "readers differ on these signs")
    sent = URL(checked.text, encoded=True)  # what the library connects to
    parts = urlsplit(checked.text)
    require(checked.text.isascii() and " " not in checked.text, "not sent as it is")
    require(sent.raw_host == checked.host == parts.hostname, f"two hosts: {checked}")
    require(sent.port == checked.port and checked.port in {80, 443}, "another port")
    require(sent.scheme == checked.scheme == parts.scheme, "another scheme")
    require(
        not sent.raw_user and not sent.raw_password and not sent.fragment, "too much"
    )
    require(
        _WALL.check_url(checked.text) == checked, "another address when checked again"
    )
    _host(checked.host)


def _host(host: str) -> None:
    labels = host.split(".")
    for end in _INSIDE:
        inside = labels[-len(end.split(".")) :] == end.split(".")
        require(not inside, f"an internal name passed: {host}")
    try:
        address = ip_address(host)
    except ValueError:
        _no_number(host)
        return
    require(not _guarded(address), f"a guarded address passed: {host}")


def _no_number(host: str) -> None:
    """A resolver of the C library also takes 127.1, 0x7f000001 and 017700000001."""
    require("." in host and ":" not in host and "%" not in host, f"an odd host: {host}")
    try:
        packed = socket.inet_aton(host)
    except OSError:
        return
    raise AssertionError(f"a host that is {IPv4Address(packed)} to a resolver: {host}")


def _address(packed: bytes) -> None:
    address = ip_address(packed)
    try:
        _WALL.check_address(str(address), 443)
    except ForbiddenAddressError:
        return
    require(not _guarded(address), f"a guarded address passed: {address}")


def _guarded(address: IPv4Address | IPv6Address) -> bool:
    """Tell by Python's own tables, and by what is packed into the address."""
    inner: list[IPv4Address] = []
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return _guarded(address.ipv4_mapped)  # what the system would connect to
        number = int(address)
        inner += [address.sixtofour] if address.sixtofour else []
        inner += list(address.teredo or ())
        if number >> 32 in {0, 0x0064FF9B << 64}:  # compatible, NAT64
            inner.append(IPv4Address(number & 0xFFFFFFFF))
        if address.is_site_local:
            return True
    kinds = (address.is_loopback, address.is_private, address.is_link_local)
    others = (address.is_multicast, address.is_unspecified)
    # IPv6 that nobody was given is reserved to Python; nothing of ours can lie there.
    reserved = isinstance(address, IPv4Address) and address.is_reserved
    return any((*kinds, *others, reserved)) or any(_guarded(each) for each in inner)


TARGET = Target(
    name="addresses",
    promises="no guarded address passes, and all readers of what passes agree on its host",
    check=check,
    max_bytes=512,
    words=(
        b"http://", b"https://", b"//", b"HTTP:", b"a.example", b"127.0.0.1", b"127.1", b"0x7f.1",
        b"0177.0.0.1", b"2130706433", b"[::1]", b"[::ffff:127.0.0.1]", b"[64:ff9b::7f00:1]",
        b"169.254.169.254", b"10.0.0.1", b"localhost", b"metadata", b".internal", b".local",
        b"toolforge.org", b"x.svc.y.org", b":80", b":443", b":0", b":80@", b"@", b"#", b"?",
        b"/", b"\\", b"..", b"%00", b"%2e", b"%40", b"%0d%0a", b"%5b", b"[", b"]", b"%25en0",
        b"\t", b"\n", b"\r", b" ", b"\0", b"xn--", b"xn--p1ai", "\uff11".encode(),
        "\u3002".encode(), "\u2024".encode(), "\u2488".encode(), "\u24db\u24de".encode(),
        "\u00ad".encode(), "\u200d".encode(), "\u0130".encode(), "\u1e9e".encode(),
        "\u212a".encode(), "\u2100".encode(), "\ufe55".encode(), "\uff0f".encode(), b"\xff", b".",
        b"0x", b"08", b"1e1", b"user:pass@", b";", b"_a", b"-",
    ),
    seeds=(
        b"https://a.example/b?c=d#e", b"http://A.Example.:80/%7Eb", b"//b.example/c", b"../d",
        "https://m\u00fcnchen.de/\u00e4?\u00f6".encode(), b"http://8.8.8.8/", b"?q",
        b"http://[2606:4700::1111]:443/",
        b"http://x.toolforge.org/", b"http://a.internal/b", b"http://a.local./",
        b"http://u:p@a.example/", b"http://a.example\\@b.example/", b"http://a.example/\tb",
        b"http://a.example[2606:4700::1111]/", b"http://[2606:4700::1111].a.example/", b"\x08\x08\x08\x08", b"\x7f\0\0\1",
        bytes.fromhex("0064ff9b0000000000000000" + "08080808"), b"\0" * 15 + b"\1",
        bytes.fromhex("20010000" + "00" * 12), bytes.fromhex("2002" + "7f000001" + "00" * 10),
        bytes.fromhex("26064700" + "00" * 11 + "01"), b"\0" * 10 + b"\xff\xff\x08\x08\x08\x08",
    ),
)  # fmt: skip
