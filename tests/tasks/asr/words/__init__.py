"""Tests of the metrics of words."""
