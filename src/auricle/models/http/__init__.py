"""Client of models behind an HTTP API."""
