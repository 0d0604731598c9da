"""What the demo and tests run on: articles, sources, events, loopback servers."""
