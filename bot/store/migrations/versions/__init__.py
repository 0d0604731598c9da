"""The migrations. A released one is never edited; a new number follows it."""
