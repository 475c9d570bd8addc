"""Scores of verification trials, from a file beside a list of trials."""
