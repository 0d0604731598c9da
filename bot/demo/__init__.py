"""What the demo and the tests run on: articles with sources, events, and loopback servers."""
