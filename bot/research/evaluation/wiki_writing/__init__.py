"""Wiki Writing of Wiki Live Challenge: articles of systems against those of Wikipedia."""
