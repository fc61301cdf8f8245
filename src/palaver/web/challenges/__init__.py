"""The pages of a challenge, for readers and for its teams."""
