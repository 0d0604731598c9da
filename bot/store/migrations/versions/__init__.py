"""The changes. One that was released is never edited: a new number follows it."""
