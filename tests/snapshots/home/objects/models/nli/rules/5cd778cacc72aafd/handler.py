class Handler:
    """Looks at one word of the hypothesis."""

    def answer(self, question):
        word = question["hypothesis"]
        label = "entailed" if "walks" in word else "neutral" if "dogs" in word else "contradictory"
        return {"label": label}
