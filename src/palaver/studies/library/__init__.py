"""What ships with Palaver: questions and training sets that a study asks for by name."""

from palaver.studies.library.catalogue import (
    question_entry,
    question_names,
    questions_by_file,
    trained_question,
    training_file,
    training_names,
)

__all__ = [
    "question_entry",
    "question_names",
    "questions_by_file",
    "trained_question",
    "training_file",
    "training_names",
]
