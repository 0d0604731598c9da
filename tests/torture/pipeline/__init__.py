"""The whole way, from the change feed to the wiki, while the daemon is killed."""
