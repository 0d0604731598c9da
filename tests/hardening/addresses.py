"""Every spelling of every address that leads inside, made and not listed.

The networks are written down here once more and not taken from the program, so that a
row that goes missing there is missed here.
"""

import json
import random
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_network
from pathlib import Path

from bot.sources.address_wall import AddressWall, ForbiddenAddressError
from tests.hardening.figures import Figures, measured

_INSIDE_4 = (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
    "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32", "185.15.56.0/24", "185.15.57.0/24",
)  # fmt: skip
_INSIDE_6 = (
    "::/128", "::1/128", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48",
    "100::/64", "2001::/32", "2001:2::/48", "2001:10::/28", "2001:20::/28",
    "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
    "fec0::/10", "ff00::/8", "2a02:ec80:a000::/48", "2a02:ec80:a100::/48",
)  # fmt: skip
_OUTSIDE = (
    "8.8.8.0/24", "100.63.0.0/16", "100.128.0.0/16", "126.0.0.0/8", "128.0.0.0/16",
    "172.15.0.0/16", "172.32.0.0/16", "192.167.0.0/16", "192.169.0.0/16",
    "185.15.58.0/23", "208.80.152.0/22", "223.0.0.0/8", "2600::/16", "2a00:1450::/32",
    "2001:4860::/32", "2a02:ec80:300::/48",
)  # fmt: skip
_CIRCLED = str.maketrans("0123456789", "⓪①②③④⑤⑥⑦⑧⑨")
_WIDE = {ord("0") + digit: 0xFF10 + digit for digit in range(10)}
_BOLD = {ord("0") + digit: 0x1D7CE + digit for digit in range(10)}
_NAMES = (
    "localhost", "LOCALHOST", "localhost.", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ip6-localhost", "a.localhost",
    "metadata", "metadata.google.internal", "instance-data", "kubernetes.default.svc",
    "tools-redis.svc.eqiad.wmflabs", "tools.db.svc.wikimedia.cloud", "x.wmnet",
    "sidenote.toolforge.org", "SIDENOTE.ToolForge.org.", "x.wmcloud.org", "box.local",
    "router.home.arpa", "host.docker.internal", "intranet", "db.lan", "a.corp",
)  # fmt: skip
_SCHEMES = (
    "file", "ftp", "gopher", "dict", "ldap", "tftp", "sftp", "jar", "netdoc", "data",
    "javascript", "blob", "about", "ws", "wss", "unix", "view-source", "php", "0",
)  # fmt: skip
_PORTS = (0, 1, 21, 22, 25, 81, 2375, 3306, 6379, 8080, 8443, 9200, 65535, 65536)


def spellings(address: IPv4Address) -> Iterator[str]:
    """Yield hosts that one program or another takes for `address`."""
    number, parts = int(address), str(address).split(".")
    a, b, c, d = (int(part) for part in parts)
    dotted = str(address)
    yield from (dotted, dotted + ".", str(number), hex(number), hex(number).upper())
    yield from (
        f"0{number:o}",
        f"0o{number:o}",
        f"{number + 2**32}",
        f"-{2**32 - number}",
    )
    yield from (f"{a}.{b}.{c * 256 + d}", f"{a}.{b * 65536 + c * 256 + d}")
    yield ".".join(hex(int(part)) for part in parts)
    yield ".".join(f"0{int(part):o}" for part in parts)
    yield ".".join(f"{int(part):04o}" for part in parts)
    yield ".".join(f"000{part}" for part in parts)
    yield ".".join(str(int(part) + 256) for part in parts)
    yield f"{hex(a)}.{b}.0{c:o}.{d}"
    yield f"0x0000{a:x}.{b}.{c}.{d}"
    yield from (
        dotted.translate(_CIRCLED),
        dotted.translate(_WIDE),
        dotted.translate(_BOLD),
    )
    yield from (
        dotted.replace(".", "。"),
        dotted.replace(".", "\uff0e"),
        dotted.replace(".", "｡"),
    )
    yield "".join(f"%{ord(sign):02x}" for sign in dotted)
    yield from (dotted.replace(".", "%2e"), f"user@{dotted}", f"a:b@{dotted}")
    yield from (
        f"example.org@{dotted}",
        f"example.org\\@{dotted}",
        f"{dotted}\\@example.org",
    )
    yield from (f"{dotted}\x00.example.org", f"{dotted} .example.org", f"{dotted}\t")
    yield from (f"example.org#@{dotted}\\", f"{dotted}%00", f"\u200b{dotted}")
    yield from (f"[::ffff:{dotted}]", f"[::{dotted}]", f"[::ffff:0:{dotted}]")
    yield from (f"[64:ff9b::{dotted}]", f"[2002:{a:02x}{b:02x}:{c:02x}{d:02x}::1]")
    yield f"[::ffff:{a:02x}{b:02x}:{c:02x}{d:02x}]"
    yield f"[0:0:0:0:0:ffff:{a:02x}{b:02x}:{c:02x}{d:02x}]"
    yield from (f"[2a00::5efe:{dotted}]", f"[::ffff:{dotted}%25lo]", f"[{dotted}]")


def _six(address: IPv6Address) -> Iterator[str]:
    yield from (f"[{address}]", f"[{address.exploded}]", f"[{str(address).upper()}]")
    yield from (
        f"[{address}%25eth0]",
        f"[{address}%eth0]",
        f"{address}",
        f"[{address}].",
    )


def _inside(random_: random.Random) -> Iterator[str]:
    for text in _INSIDE_4:
        network = ip_network(text)
        for at in _places(network.num_addresses, random_):
            yield from spellings(IPv4Address(int(network.network_address) + at))
    for text in _INSIDE_6:
        network = ip_network(text)
        for at in _places(network.num_addresses, random_):
            yield from _six(IPv6Address(int(network.network_address) + at))
    yield from _NAMES


def _places(size: int, random_: random.Random) -> list[int]:
    return [0, size // 2, size - 1, random_.randrange(size)]


def inside_addresses(random_: random.Random) -> Iterator[str]:
    """Yield addresses all of which must be refused."""
    for host in _inside(random_):
        yield f"http://{host}/"
        yield f"HTTPS://{host}:80/latest/meta-data/?a=b#c"
    for scheme in _SCHEMES:
        yield f"{scheme}://example.org/"
        yield f"{scheme}:example.org"
    for port in _PORTS:
        yield f"http://example.org:{port}/"
    for glue in (
        "\\",
        "\r\n",
        "\n",
        "\t",
        "\x00",
        " ",
        "%0d%0a",
        "%0A",
        "\u2028",
        "\x85",
    ):
        yield f"http://example.org/{glue}x"
        yield f"http://example.org{glue}127.0.0.1/"


def outside_addresses(random_: random.Random) -> Iterator[str]:
    """Yield addresses of the public web, right beside those that are not."""
    for text in _OUTSIDE:
        network = ip_network(text)
        for at in _places(network.num_addresses, random_)[1:]:
            number = int(network.network_address) + at
            four = network.version == 4
            yield (
                f"http://{IPv4Address(number)}/"
                if four
                else f"http://[{IPv6Address(number)}]/"
            )


def try_addresses(seed: int) -> Figures:
    """Put every address before the wall."""
    random_ = random.Random(seed)
    wall = AddressWall()
    with measured("G5", "spellings of internal addresses") as figures:
        for url in inside_addresses(random_):
            figures.tried += 1
            if _passes(wall, url):
                figures.fault(f"let through: {url!r}")
        for url in outside_addresses(random_):
            figures.tried += 1
            if not _passes(wall, url):
                figures.fault(f"refused: {url!r}")
    return figures


def _passes(wall: AddressWall, url: str) -> bool:
    try:
        wall.check_url(url)
    except ForbiddenAddressError:
        return False
    return True


def try_vectors(folder: Path) -> Figures:
    """Put the collected addresses before the wall."""
    file = folder / "ssrf-vectors" / "ssrf_vectors.json"
    vectors = json.loads(file.read_text("utf-8"))["url_vectors"]
    wall = AddressWall()
    with measured("G5", "collected addresses") as figures:
        for vector in vectors:
            figures.tried += 1
            if _passes(wall, vector["url"]) != (vector["must"] == "allow"):
                figures.fault(f"must {vector['must']}: {vector['url']!r}")
        blocked = sum(vector["must"] == "block" for vector in vectors)
        figures.notes = [f"{blocked} to be refused, {figures.tried - blocked} to pass"]
    return figures
