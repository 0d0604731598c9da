"""The rules of the API, from the settings."""

from collections.abc import Collection

from bot import __version__
from bot.daemon.serving.guard import own_names
from bot.settings import Settings
from bot.wiki.address import WikiAddress
from gadget.api.origins import Origins, host_of, origin_of, origins_of_wikis
from gadget.api.parts import Rules
from gadget.limits import Rate


def rules_of(
    settings: Settings,
    wikis: Collection[str],
    addresses: Collection[WikiAddress],
    secret: bytes,
) -> Rules:
    """Return what the API keeps to.

    Args:
        settings: all of them.
        wikis: that are answered for, by host.
        addresses: of those whose pages may ask; a demo's wikis have none.
        secret: what the order of comparisons hangs on.
    """
    return Rules(
        origins=_origins(settings, addresses),
        wikis=frozenset(wikis),
        secret=secret,
        version=__version__,
        address=settings.panel_address or None,
        trusts_proxy=settings.gadget_trusts_proxy,
        reads=Rate(settings.gadget_reads),
        writes=Rate(settings.gadget_writes),
        looks=Rate(settings.gadget_looks),
        sign_ins=Rate(settings.gadget_sign_ins),
        streams=settings.gadget_streams,
        streams_each=settings.gadget_streams_per_address,
    )


def _origins(settings: Settings, addresses: Collection[WikiAddress]) -> Origins:
    hosts = [one.host for one in addresses]
    plain = [one.host for one in addresses if one.scheme == "http"]
    own = origin_of(settings.panel_address)
    named = {*settings.serve_names, *host_of(settings.panel_address)}
    return Origins(
        origins_of_wikis(hosts, plain)
        | frozenset(settings.gadget_origins)
        | frozenset([own] if own else ()),
        own_names(settings.serve_host, named),
    )
