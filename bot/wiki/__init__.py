"""The wiki: reading it, and the text that is made for it.

In come page titles, out come revisions, histories and lists of pages (`reader`, through
mwclient), articles of a dump (`dump`) and a session that is signed in (`session`, through
Pywikibot). `markup` escapes what goes into wikitext. What is written goes through
`bot.writing` alone.
"""
