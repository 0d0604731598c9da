"""Search over a corpus that outgrows one machine, in OpenSearch."""

from bot.adapters.opensearch.cluster import Cluster
from bot.adapters.opensearch.searching import OpenSearchSearch
from bot.adapters.opensearch.updating import OpenSearchUpdater

__all__ = ["Cluster", "OpenSearchSearch", "OpenSearchUpdater"]
