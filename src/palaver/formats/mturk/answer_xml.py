"""`QuestionFormAnswers`, the XML in which results of the API hold what a worker answered.

The texts in it are workers' own, and old dumps come from strangers: nothing is expanded, a document
type is refused before anything of it is read.
"""

from typing import Any, NoReturn
from xml.parsers import expat

from palaver.formats.mturk.assignments import BadAssignment

MOST_BYTES = 4 * 1024 * 1024
_DEEPEST = 16
_NAME = "QuestionIdentifier"
_TEXTS = frozenset({"FreeText", "OtherSelectionText", "UploadedFileKey"})
_CHOSEN = "SelectionIdentifier"


class _Answers:
    """Gathers answers by their questions; a question with choices has a list of them."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self._path: list[str] = []
        self._text: list[str] = []
        self._question = ""
        self._values: list[str] = []
        self._chosen: list[str] = []

    def start(self, name: str, _: dict[str, str]) -> None:
        self._path.append(name.rpartition(":")[2])
        if len(self._path) > _DEEPEST:
            raise BadAssignment("Its answer is nested too deeply.")
        self._text = []
        if self._path[-1] == "Answer":
            self._question, self._values, self._chosen = "", [], []

    def data(self, text: str) -> None:
        self._text.append(text)

    def end(self, _: str) -> None:
        name, text = self._path.pop(), "".join(self._text)
        self._text = []
        if name == _NAME:
            self._question = text.strip()
        elif name == _CHOSEN:
            self._chosen.append(text.strip())
        elif name in _TEXTS:
            self._values.append(text)
        elif name == "Answer" and self._question:
            told: Any = [*self._chosen, *self._values]
            self.found[self._question] = told if self._chosen else "".join(self._values)


def read_answer_xml(document: str) -> dict[str, Any]:
    """The answers by question; BadAssignment where it is not such a document."""
    if len(document) > MOST_BYTES:
        raise BadAssignment("Its answer is longer than 4 MB.")
    gathered = _Answers()
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = gathered.start
    parser.EndElementHandler = gathered.end
    parser.CharacterDataHandler = gathered.data
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    try:
        parser.Parse(document.encode("utf-8"), True)
    except (expat.ExpatError, UnicodeEncodeError) as error:
        raise BadAssignment(f"Its answer is not XML: {error}.") from None
    return gathered.found


def _refuse(*_: Any) -> NoReturn:
    raise BadAssignment("Its answer has a document type, which no answer of the service has.")
