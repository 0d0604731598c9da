"""A page as its reviewer reads it: paragraphs, and which words are the article's own."""
