"""Money: the budget, what people are owed, orders that pay each of it once, and what an hour paid."""
