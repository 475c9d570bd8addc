"""Features about what is done with models and runs: one folder per study."""
