"""Wikitext to values: `parse` finds sections, citations and claims. Pure."""
