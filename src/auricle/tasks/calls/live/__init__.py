"""Hold a call with a model: the caller's steps at their pace, playback of what the model returns, the recording."""
