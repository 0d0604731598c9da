"""The daemon: roles that run beside each other until they are told to stop.

A role is intake, a worker, the planner, a publisher, the schedule or the server. They
share nothing but the store, so that each can as well run in a process of its own.
"""
