"""Real services for tests, and servers that stand in for such, each gone when the tests are."""
