"""The program: its command line, how its parts are put together, and the doctor.

A command and the settings go in; `cli` reads the command, `wiring` builds what it needs,
`doctor` tests what the settings need. Start with `cli`.
"""
