"""Reading what a citation points at, from the web and from its archives.

`reader.WebSources` is the way in. Behind it every address passes the address
wall, every host is asked politely, and every answer is capped before it is kept.
"""
