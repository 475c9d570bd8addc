"""Models in other processes; whoever asks cannot tell."""
