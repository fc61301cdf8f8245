"""CraigslistBargain: a buyer and a seller agree on the price of something that is listed, or do not."""
