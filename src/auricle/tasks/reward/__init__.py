"""Ratings and preferences: CMI-RewardBench and your own data."""
