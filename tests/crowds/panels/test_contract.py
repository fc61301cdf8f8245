"""What holds for every panel: the contract battery over all that are built in."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from palaver.core.errors import UnknownNameError
from palaver.core.studies.outcomes import OUTCOMES
from palaver.crowds.panels import PANELS, PLACEHOLDERS, Arrival, Panel, filled, placeholders_of
from palaver.studies.file.terms import Crowd

ALL = [PANELS.get(name) for name in PANELS.names()]
each_panel = pytest.mark.parametrize("panel", ALL, ids=lambda panel: panel.name)


def arrival(panel: Panel) -> dict[str, str]:
    """What a panel appends for one person."""
    return {name: f"value{n}" for n, name in enumerate(panel.parameters, start=1)}


@each_panel
def test_its_parameters_let_somebody_in(panel: Panel) -> None:
    sent = arrival(panel)
    visitor = panel.visitor({**sent, "utm_source": "mail"})
    assert visitor is not None
    assert visitor.person == sent[panel.participant]
    assert visitor.assignment == (sent[panel.session] if panel.session else "1")
    assert visitor.panel_study == (sent[panel.study] if panel.study else "")
    assert not visitor.proven


@each_panel
def test_what_is_missing_or_not_filled_in_is_a_preview(panel: Panel) -> None:
    sent = arrival(panel)
    needed = [name for name in (panel.participant, panel.session) if name]
    assert panel.visitor({}) is None
    for name in needed:
        assert panel.visitor({key: value for key, value in sent.items() if key != name}) is None
        assert panel.visitor({**sent, name: " "}) is None
    unfilled = ["ASSIGNMENT_ID_NOT_AVAILABLE", "{{%ID%}}", "{{ID}}", "[%PID%]"]
    for name in panel.parameters:
        for value in (*unfilled, panel.filled_by.get(name, "{{x}}"), "a" * 201, "a\x00", "a\nb"):
            assert panel.visitor({**sent, name: value}) is None, (name, value)


@each_panel
def test_a_study_id_that_is_not_sent_keeps_nobody_out(panel: Panel) -> None:
    sent = {key: value for key, value in arrival(panel).items() if key != panel.study}
    assert panel.visitor(sent) is not None


@each_panel
def test_its_own_address_as_pasted_is_a_preview(panel: Panel) -> None:
    address = panel.address("https://lab.example.org/", "a-study")
    assert address.startswith("https://lab.example.org/s/a-study")
    parameters = dict(parse_qsl(urlsplit(address).query, keep_blank_values=True))
    if panel.appends:
        assert parameters == {}
    else:
        assert set(parameters) == set(panel.parameters)
    if panel.filled_by:
        assert panel.visitor(parameters) is None


@each_panel
def test_its_addresses_take_only_what_is_known_and_encode_it(panel: Panel) -> None:
    templates = [panel.return_template(outcome) for outcome in OUTCOMES]
    sent = Arrival("p/1?&", "s#2", "st udy")
    for template in filter(None, templates):
        assert template.startswith("https://")
        assert placeholders_of(template) <= set(PLACEHOLDERS)
        address = filled(template, code="A&B", sent=sent)
        assert address is not None
        assert urlsplit(address).hostname == urlsplit(template).hostname
        assert not {" ", "#"} & set(address)
        if placeholders_of(template):
            assert filled(template, code=None, sent=Arrival("")) is None


@each_panel
def test_it_says_what_to_do_there(panel: Panel) -> None:
    assert panel.title
    assert panel.set_up
    assert panel.back
    assert all(step.endswith((".", "CODE.")) for step in panel.set_up)
    assert all(line.minimum <= (line.recommended or line.minimum) for line in panel.pay)


@each_panel
def test_a_study_names_it(panel: Panel) -> None:
    crowd = Crowd.model_validate({"kind": panel.name})
    assert crowd.panel is not None
    assert crowd.panel.title == panel.title


def test_a_panel_that_is_not_known_is_answered_with_those_near() -> None:
    with pytest.raises(UnknownNameError, match="Near: 'prolific'"):
        PANELS.get("prolifik")


def test_a_study_gives_its_panel_other_names_and_one_id_is_enough() -> None:
    given = {"kind": "parameters", "participant": "who", "assignment": None, "study": "wave"}
    panel = Crowd.model_validate(given).panel
    assert panel is not None
    visitor = panel.visitor({"who": "ann", "wave": "w2"})
    assert visitor is not None
    assert (visitor.person, visitor.assignment, visitor.panel_study) == ("ann", "1", "w2")


def test_a_survey_code_of_sona_stays_text() -> None:
    panel = PANELS.get("sona")
    visitor = panel.visitor({"survey_code": "0042"})
    assert visitor is not None
    assert visitor.person == "0042"
    assert panel.visitor({"survey_code": "%SURVEY_CODE%"}) is None
