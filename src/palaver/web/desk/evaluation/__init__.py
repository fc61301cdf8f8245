"""The researcher's pages of the evaluation server: from what is stored to what is shown."""
