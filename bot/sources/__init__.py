"""Reads what a citation points to, from the web and from archives.

A source goes in; its text comes out, or why it was not read. Every address passes the
address wall, every host is asked politely, and every answer is limited in size. Start with
`reader`.

- `settings`: of a reader of sources
- `reader`: `WebSources`, the entry point
- `copies`: where a source may be, and in which order
- `fetch`: one address, with its redirects and robots.txt
- `cache`, `files`: answers on disk; writing a file whole or not at all
- `manners`: one request at a time for each host
- `address_wall`: addresses that are never connected to
- `http`: one request, through aiohttp
- `extraction`: bytes to text, or that they are a login wall or an error page
- `folder`, `remote`: sources from a folder, and through another process
- `reliability`: how wikis rate sources
"""
