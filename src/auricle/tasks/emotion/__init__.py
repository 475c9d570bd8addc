"""Speech emotion corpora, one module each, read from local folders."""
