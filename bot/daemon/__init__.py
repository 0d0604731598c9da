"""The daemon: roles that run side by side until they are told to stop.

A role is intake, a worker, the planner, a publisher, the schedule or the server. They
share nothing but the store, so each can also run in a separate process. Changes of the
wikis and requests in the store go in; results in the store and the pages of the status
server come out.

Start with `check`, what is done to one page, then `worker`, which takes pages from the
queue.

The work:

- `intake`: reads the change feed and fills the queue
- `runner`: does waiting tasks, whatever their kind
- `worker`: checks pages from the queue, and saves the results
- `check`: one page, from wikitext to what should be fixed
- `patrol`: looks at all edits of a wiki, and judges those that are worth a source
- `outcomes`: looks again at edits that were noted
- `updates`, `discoverer`: tasks of newer facts; the search for one page
- `drafts`, `drafter`: tasks of drafts; one topic to a draft
- `supplied`: claims against texts that people supply
- `sources`: sources read for other processes, or sent to an archive
- `progress`: what a check under way reports

Keeping processes going, and saying so:

- `roles`: runs roles side by side; if one fails, all end
- `schedule`: what is due at intervals
- `threads`: threads to compute in, and how they end
- `heartbeat`, `heartbeat_check`: a process says that it runs; whether it still does
- `health_watch`: alerts to the operator
- `status`, `web`: the status as pages and metrics; the server for them
- `local_reports`: reports of checked pages as files
"""
