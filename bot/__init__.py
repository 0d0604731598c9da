"""How to reach the world, and when: one room for each subject.

- `settings`: every setting, as one frozen value
- `records`, `store`: the values that processes share, and the database that holds them
- `wiki`, `sources`, `search`: reading wikis, the sources cited, and candidates for new ones
- `models`: the networks that ship, and the language model
- `report`: checked pages as HTML, text and JSON
- `surfaces`, `writing`: what people see on a wiki, and the one gate by which it gets there
- `daemon`: the roles that run until stopped; start here
- `app`: the command line, the wiring and the doctor
- `demo`: articles, sources and loopback servers to try it on
- `research`: evaluations and training; the product imports none of it
- `i18n`: the words of the program in each language
"""

__version__ = "0.1.0"
DISTRIBUTION = "sidenote-wiki"  # `sidenote` is something else on the package index
