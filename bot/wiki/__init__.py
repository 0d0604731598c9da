"""The wiki: reading it, and making text for it.

Titles and addresses go in; texts, histories, lists of pages and a signed-in session come
out. All writing goes through `bot.writing`. Start with `reader`.

- `address`: which wiki and page people mean
- `api`: asks a wiki's API, through mwclient
- `answers`: the API's answers as typed values
- `reader`: pages at a given revision, or why not
- `lists`, `pages`: lists, and many pages at a time; pages as values
- `changes`: a wiki's recent changes
- `history`: revisions of a page, and who saved what lately
- `human_edits`: what people changed in an article
- `folder`: files in place of a wiki
- `oauth`: who someone is, by OAuth 2
- `session`: an account's session, through Pywikibot; it alone can write
- `keys`: signs what the bot writes
- `blocks`: the part of a page that only the bot rewrites
- `escaping`: makes text from outside safe in wikitext
"""
