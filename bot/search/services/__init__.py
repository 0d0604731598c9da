"""Searches of the web, the news and structured sources for what is new.

Each service has a module that knows its requests and its answers, and nothing else;
`asking` sends one request, `metering` keeps to a service's pace and quota, `results`
turns what any of them found into values. `service.AlternateSearches` asks the next service where
one fails or finds nothing.
"""
