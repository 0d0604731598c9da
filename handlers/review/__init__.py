"""Wiki Live Challenge: the Good Article criteria, applied to one article or draft. Pure."""
