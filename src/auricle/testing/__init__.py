"""For tests: a fake server, and models without weights."""
