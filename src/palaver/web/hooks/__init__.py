"""What panels tell this server by themselves."""
