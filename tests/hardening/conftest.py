"""The real wiki, for what its own parser has to say."""

from tests.rig.fixtures import changes_port, wiki, wiki_proxy

__all__ = ["changes_port", "wiki", "wiki_proxy"]
