"""Scores of a run, summaries and comparisons: computes, and draws nothing."""
