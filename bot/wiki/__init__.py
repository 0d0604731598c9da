"""The wiki: reading it, and making text for it.

Given page titles, it returns revisions, histories and lists of pages (`reader`, through
mwclient) and a signed-in session (`session`, through Pywikibot). `escaping` escapes
what goes into wikitext. All writing goes through `bot.writing`.
"""
