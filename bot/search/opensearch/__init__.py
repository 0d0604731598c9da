"""Search over a corpus that outgrows one machine, in OpenSearch."""

from bot.search.opensearch.cluster import Cluster
from bot.search.opensearch.searching import OpenSearchSearch
from bot.search.opensearch.updating import OpenSearchUpdater

__all__ = ["Cluster", "OpenSearchSearch", "OpenSearchUpdater"]
