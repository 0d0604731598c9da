"""Reads what a citation points to, from the web and from archives.

`reader.WebSources` is the entry point. Behind it every address passes the address wall,
every host is asked politely, and every answer is limited in size before it is kept.
"""
