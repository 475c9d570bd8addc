"""Records → stats → numbers → table, CSV, JSON, HTML."""
