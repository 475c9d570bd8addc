"""Result files of the Open ASR Leaderboard."""
