"""slime trains on the samples of OpenClaw-RL's door. Needs the standard library and slime alone."""
