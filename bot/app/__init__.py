"""The program: its command line, how its parts are wired together, and the doctor."""
