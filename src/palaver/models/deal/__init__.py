"""Agents for Deal or No Deal that learn from dialogues: networks, self-play, rollouts, REINFORCE."""
