class Handler:
    def answer(self, question):
        raise ValueError("no weights")
