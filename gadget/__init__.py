"""How editors see it: the on-wiki script and the HTTP backend it talks to."""
