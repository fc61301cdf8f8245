"""Commands about models on data sets."""
