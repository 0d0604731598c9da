"""Searches the web, the news and structured sources for what is new.

A query goes in; results in its window come out. Start with `client`, which sends one
request; `service` keeps to a service's pace and quota, and its `AlternateSearches` asks the
next one if one fails or finds nothing; `results` turns rows of any service into results.
Each service knows only its requests and answers: `engines` of the web and the news,
`feeds`, `scholarly` catalogues, `wikimedia` (other languages, Wikidata). `page_lists` reads
PetScan and PagePile.
"""
