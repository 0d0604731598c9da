"""What editors see: the on-wiki script, and its HTTP backend.

Stored suggestions go in; cards for the panel come out, and readers' decisions go back.
Start with `api`.

- `api`: the routes of the backend
- `payloads`: what is exchanged, as JSON
- `identity`: who a reader is
- `cards`, `checks`: what the panel shows; checks that readers ask for
- `limits`: how much a reader may ask for
- `wiring`: opens the backend with its real parts
- `script`, `pages`: the script, and the wiki pages around it
- `bundle`, `deployment`, `cli`: makes the script's pages, and puts them on a wiki
- `local_page`: the panel without a wiki
"""
