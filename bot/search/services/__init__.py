"""Searches the web, the news and structured sources for what is new.

Each service has a module that knows its requests and its answers, and nothing else;
`client` sends one request, `service` keeps to a service's pace and quota, `results`
turns any service's results into values. `service.AlternateSearches` asks the next
service if one fails or finds nothing.
"""
