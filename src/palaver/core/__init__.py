"""The pure heart: nouns and rules, no input or output."""
