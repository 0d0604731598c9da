"""Writes to wikis: what may be written, once, and what became of it.

Posts come from the outbox (`publisher`) and go through `gate`, which alone makes edits:
where it may go (`allowed_pages`), one look (`preflight`), one edit bound to what was seen
(`edit`), and, where an answer was lost, whether it was made (`reconciliation`). `dry_run`
shows what would have been written. Begin with `gate`.
"""
