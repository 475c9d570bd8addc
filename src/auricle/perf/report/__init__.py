"""Reports of a load test: terminal, CSV, Markdown and HTML, all made from its summary."""
