"""CMI-RewardBench: reward models, results and tables."""
