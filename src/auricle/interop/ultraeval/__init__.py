"""Result files of UltraEval-Audio."""
