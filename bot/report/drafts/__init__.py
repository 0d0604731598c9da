"""Shows a draft as a dossier to write from: each sentence leads to what bears it out.

As text for a terminal, JSON for programs, HTML to read, and wikitext. Pure.
"""
