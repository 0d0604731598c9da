"""Reads what a citation points to, from the web and from archives.

`reader.WebSources` is the entry point. Behind it every address passes the address wall,
every host is asked politely, and every answer is limited in size before it is kept.

Read `reader`, then `copies` (where else the source may be), `fetch` (one address, with
its redirects and the cache), `address_wall`, `manners` and `http`. `extraction` turns
the bytes into text, or says that they are a login wall or an error page. `folder` and
`remote` read elsewhere: from a folder, and through another process.
"""
