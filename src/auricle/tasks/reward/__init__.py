"""How good a sound is, and which of two is better: CMI-RewardBench, and anybody's own data."""
