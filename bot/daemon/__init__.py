"""The daemon: roles that run side by side until they are told to stop.

A role is intake, a worker, the planner, a publisher, the schedule or the server. They
share nothing but the store, so each can also run in a separate process.
"""
