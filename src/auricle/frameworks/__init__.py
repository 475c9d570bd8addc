"""Models, datasets, configs and results of other frameworks: one folder per framework."""
