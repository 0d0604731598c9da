"""The rules of the API, from the settings."""

from collections.abc import Iterable

from bot import __version__
from bot.adapters.wiki_address import WikiAddress, parse_address
from bot.serving.guarding import own_names
from bot.settings import Settings
from gadget.api.origins import Origins, host_of, origin_of, origins_of_wikis
from gadget.api.parts import Rules
from gadget.limits.buckets import Rate


def rules_of(settings: Settings) -> Rules:
    """Return what the API keeps to.

    Raises:
        PermanentError: one of the wikis is not named by its address.
    """
    wikis = [parse_address(one) for one in (settings.wiki, *settings.wikis)]
    secrets = settings.bot_secret.get_secret_value().split()
    return Rules(
        origins=_origins(settings, wikis),
        wikis=frozenset(wiki.host for wiki in wikis),
        secret=(secrets[0] if secrets else "").encode(),
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


def _origins(settings: Settings, wikis: Iterable[WikiAddress]) -> Origins:
    hosts = {wiki.host: wiki.scheme for wiki in wikis}
    loopback = [host for host, scheme in hosts.items() if scheme == "http"]
    own = origin_of(settings.panel_address)
    named = {*settings.serve_names, *host_of(settings.panel_address)}
    return Origins(
        origins_of_wikis(hosts, loopback)
        | frozenset(settings.gadget_origins)
        | frozenset([own] if own else ()),
        own_names(settings.serve_host, named),
    )
