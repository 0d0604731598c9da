"""Real services for tests, on loopback, each gone when the tests are."""
