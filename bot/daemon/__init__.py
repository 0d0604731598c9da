"""The daemon: roles that run side by side until they are told to stop.

A role is intake, a worker, the planner, a publisher, the schedule or the server. They
share nothing but the store, so each can also run in a separate process. Changes of the
wikis and requests in the store go in; results in the store and the pages of the status
server come out. Start with `check` for what is done to one page, and with `runner` for
how waiting tasks are done: `worker`, `updates`, `drafts`, `supplied` and `sources` are
their kinds.
"""
