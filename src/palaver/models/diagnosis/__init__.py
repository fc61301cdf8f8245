"""What a trained model has learnt: its figures on a file, self-play, samples, where it looks."""
