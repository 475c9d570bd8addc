"""Turn the records of a run into metrics, tables, CSV, JSON and HTML."""
