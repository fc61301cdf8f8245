"""MutualFriends: two people have a table of friends each, and find the one whom both have."""
