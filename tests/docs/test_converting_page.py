"""Every format that can be converted is in docs/converting.md, with what it holds."""

from palaver.formats.dialogue_files import DIALOGUE_FILES

from .reading import page, rows, section


def test_every_format_and_what_it_holds() -> None:
    described = rows(section(page("converting.md"), "Formats"))
    known = {name: DIALOGUE_FILES.get(name).holds for name in DIALOGUE_FILES.names()}
    assert {name: described[name][1] for name in known} == known
