"""Reward models, results and tables of CMI-RewardBench."""
