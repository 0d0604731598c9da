"""Joins the script's modules, its messages and its settings into what a wiki can load.

A gadget's pages are single files, and people write in small ones. Nothing here needs
node: `joining` finds the modules and their order, `messages` reads `i18n/`, `bundle`
makes the text. The same input gives the same bytes.
"""
