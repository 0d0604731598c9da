"""A community's JSON page: taken whole, or refused with its faults."""

from bot.surfaces.opt_in.community import effective_entries, read_community
from tests.fuzz.target import Target, require, storable

_LONGEST = 300


def check(data: bytes) -> None:
    """A configuration, or faults that a person can mend."""
    found = read_community(data.decode("utf-8", "replace"))
    require((found.community is None) is bool(found.faults), "neither read nor refused")
    storable(found.faults, "a fault")
    for fault in found.faults:
        parts = (fault.parameter, fault.given, str(fault.problem), str(fault.remedy))
        require(all(len(each) <= _LONGEST for each in parts), "a fault is too long")
    if found.community is not None:
        storable(effective_entries(found.community), "an entry")


TARGET = Target(
    name="community_page",
    promises="a configuration that can be stored, or bounded faults",
    check=check,
    words=(
        b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"-1", b"1e400", b"NaN",
        b"0.5", b"1000001", b'"namespaces":[0]', b'"inCategory":["A"]', b'"notInCategory":',
        b'"hasTemplate":', b'"ignoreSections":["See also"]', b'"minimumEditCount":10',
        b'"policy":', b'"thresholds":{"citation":0.9}', b'"defaults":{', b'"limits":{',
        b'"surface":["report"]', b'"checks":["citations"]', b'"interval":"12 hours"',
        b'"max":"5 per week"', b'"minConfidence":"high"', b'"leastInterval":"1 d"',
        b'"notesPerPage":3', b'"drafts":5', b"\\ud800", b"\\udc00", b"\\u0000", b"\\u0130",
        b"9" * 60, b"[" * 60, b'{"a":' * 60, b"\xff", b"\0", b'"a":1,"a":2', b"99999999 years",
    ),
    seeds=(
        b"{}", b'{"inCategory":["A"],"defaults":{"max":"5 per week","interval":"1 day"}}',
        b'{"limits":{"pages":5,"max":"10 per day","leastInterval":"6 hours"}}',
        b'{"thresholds":{"citations":0.95},"ignoreSections":["See also"]}',
        b'{"defaults":{"surface":["talk"],"checks":["drift"],"minConfidence":"90%"}}',
        b'{"limit":{}}', b"[1]", b"not JSON", b'{"limits":{"pages":"many"}}',
        b"[" * 3_000, b'{"a":' * 800, b'{"policy":"facts","namespaces":[0,10],"drafts":true}',
        b'{"thresholds":{"citation":NaN},"surfaces":["talk","report"],"checks":["nothing"]}',
        b'{"inCategory":["A_b "," A b"],"defaults":{"interval":5,"max":"0","minConfidence":"low"}}',
        b'{"defaults":{"interval":"3 dayz","max":"9 per","minConfidence":"101%"}}',
        b'{"a":1,"a":2}', b'{"policy":"' + b"x" * 400 + b'"}', b'{"' + b"y" * 400 + b'":1}', b'{"\\ud800":"\\ud800"}',
    ),
)  # fmt: skip
