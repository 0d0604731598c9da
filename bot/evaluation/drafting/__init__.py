"""`sidenote evaluate wikigen`: drafts of WikiGenBench's events beside the paper's."""
