"""Models that are trained here: recipes, training, checkpoints, and what plays or answers from one.

Training needs PyTorch, numpy, safetensors and `core`, and nothing else that Palaver installs, so that
a recipe runs in a bare PyTorch environment (`python -m palaver.models`). Only `connectors`, `baselines`
and `sweep` know the rest of the house.
"""
