"""Tests everything the current settings need, and says what is wrong and how to fix it.

The settings go in, one line for each test comes out. A test never writes to a wiki, leaves
nothing behind but its own searches in the count of the day (if the data folder exists), and
shows no secret.

`examination` chooses the tests and runs them: read it first. `trial` is the form of a test;
`settings`, `machine`, `database`, `wiki` and `services` each test one group of things.
"""
