"""The navigator without a language model (§3.2): what is asked and opened next.

It asks for the subject first and opens what seems to be about it. Then it follows what
the aggregator hinted at, the subject's other names, and the sections of the article,
those first that tell of the newest days. It stops when nothing is left. Pure.
"""

from handlers.updates.navigating.embedded import EmbeddedNavigator, NavigationPolicy

__all__ = ["EmbeddedNavigator", "NavigationPolicy"]
