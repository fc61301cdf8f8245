"""Files of advice: situations, dumps they are made of, answers of models, judgements of crowds."""
