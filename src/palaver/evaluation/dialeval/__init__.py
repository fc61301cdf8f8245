"""The DialEval tasks: predicting how annotators of help-desk dialogues are divided."""
