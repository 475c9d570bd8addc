"""The Open ASR Leaderboard: result files, read and written."""
