"""The daemon: roles that run side by side until they are told to stop.

A role is intake, a worker, the planner, a publisher, the schedule or the server. They
share nothing but the store, so each can also run in a separate process. Changes of the
wikis and requests in the store go in; results in the store and the pages of the status
server come out.

Start with `check`, what is done to one page, and `worker`, which takes the pages from
the queue that `intake` fills. `discoverer` and `drafter` do the same for newer facts
and drafts, `updates` and `drafts` take their tasks. `runner` does waiting tasks of any
kind: those of `worker`, `updates`, `drafts`, `supplied` and `sources`. `roles`,
`schedule`, `heartbeat` and `health_watch` keep a process going and say so; `status` and
`web` show it to people.
"""
