"""UltraEval-Audio: result files, read and written."""
