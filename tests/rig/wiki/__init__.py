"""A real MediaWiki with a few pages of our own: see `mediawiki` and `pages`."""
