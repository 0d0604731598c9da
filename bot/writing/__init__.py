"""Writes to wikis: what may be written, once, and what became of it.

Posts come from the outbox (`publisher`) and go through `gate`, which is the only code
that edits, and which settles an edit conflict. The other modules: where it may write
(`allowed_pages`), one check (`preflight`), one edit bound to the revision that was
checked (`edit`), and, if an answer was lost, whether the edit was made
(`reconciliation`). `dry_run` shows what would have been written. A person who puts the
gadget on a wiki passes another gate (`interface_gate`). Start reading with `gate`.
"""
