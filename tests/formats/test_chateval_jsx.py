"""The static text of the platform's pages is read out of their code, and the rest is named."""

from pathlib import Path

import pytest

from palaver.core.errors import InputError
from palaver.formats.chateval.jsx import read_descriptions
from palaver.formats.chateval.prose import markdown_of

SWITCH = """import React from "react";
import { get_mood_instructions } from "./task_descriptions/mood_instructions.jsx";

export function getTaskDescription(task_title, speakerLabel='', otherLabel='') {
    switch(task_title) {
        case "calm_likert":
        case "calm_likert_turn":
            return (
                <div className="task-description">
                    Say how calm {speakerLabel} was with {otherLabel}.<br/><br/>
                    <table><tbody><tr>
                        <td style={{padding: '15px'}}><b>Calm</b></td><td>No haste &amp; no anger.</td>
                    </tr></tbody></table>
                </div>
            )
        case "mood":
            return (
                <div>
                    <b><h3>Moods</h3></b>
                    {/* shown to everybody */}
                    {get_mood_instructions()}
                    <h4>Help</h4>
                    {get_mood_examples()}
                    {note("a > b")}{rows.map(row => <li>{row}</li>)}{'Thank you.'}<Icon name="x" />
                </div>
            )
        case "silent":
            break;
        default:
            break;
    }
    return (<div>Filler.</div>)
}

function note(text) {
    return (<i>Take your time.</i>);
}
"""
INSTRUCTIONS = """import React from "react";
function get_mood_instructions() {
const width = (1 + 2);
return (
<div>
<span >
  Decide of each reply whether
  it is kind.
</span>
<br >
</br>
<ul >
  <li >
    kind: warm words
  </li>
  <li >
    not kind: cold words
  </li>
</ul>
</div>
)
}
export { get_mood_instructions };
"""
EXAMPLES = """import React from "react";
const get_mood_examples = () => (
<div>
<button id="Is it kind?" className="collapsible" onClick={(evt) => toggle(evt)} >
  Is it kind?
</button>
<code >
  <span className="sam-response" >
    Sam:  It rains.
  </span>
  <span className="alex-response" >
    Alex: Take my coat.
  </span>
</code>
<span >
  <b>Kind</b>: Alex helps.
</span>
<hr >
</hr>
</div>
);
"""


@pytest.fixture
def components(tmp_path: Path) -> Path:
    """The pages of a project, as far as they describe its tasks."""
    folder = tmp_path / "task_descriptions"
    folder.mkdir()
    (folder / "mood_instructions.jsx").write_text(INSTRUCTIONS)
    (folder / "mood_examples.jsx").write_text(EXAMPLES)
    (tmp_path / "task_descriptions.jsx").write_text(SWITCH)
    return tmp_path


def test_a_task_is_described_with_what_its_description_calls(components: Path) -> None:
    said = read_descriptions(components).of("mood")
    assert said is not None
    assert markdown_of(said.html) == (
        "### Moods\n\nDecide of each reply whether it is kind.\n\n"
        "- kind: warm words\n- not kind: cold words\n\n"
        "#### Help\n\n#### Is it kind?\n\n"
        "> Sam: It rains.\n>\n> Alex: Take my coat.\n\n"
        "**Kind**: Alex helps.\n\n---\n\n*Take your time.*Thank you."
    )
    assert said.computed == ("rows.map(row => <li>{row}</li>)", "<Icon />")


def test_cases_that_share_a_text_and_the_names_of_speakers(components: Path) -> None:
    descriptions = read_descriptions(components)
    said = descriptions.of("calm_likert")
    assert said == descriptions.of("calm_likert_turn")
    assert said is not None
    assert markdown_of(said.html) == (
        "Say how calm {speaker} was with {partner}.\n\n**Calm** No haste & no anger."
    )
    assert said.computed == ()


def test_without_the_switch_files_are_found_by_name(components: Path) -> None:
    (components / "task_descriptions.jsx").unlink()
    folder = components / "task_descriptions"
    (folder / "mood_instructions.jsx").rename(folder / "antisocial_behaviors_instructions.jsx")
    descriptions = read_descriptions(components)
    instructions, examples = descriptions.of("sociality"), descriptions.of("mood")
    assert instructions is not None
    assert examples is not None
    assert "Decide of each reply" in instructions.html
    assert "Take my coat" in examples.html


def test_a_task_that_is_not_described(components: Path, tmp_path: Path) -> None:
    descriptions = read_descriptions(components)
    assert descriptions.of("silent") is None
    assert descriptions.of("unheard_of") is None
    assert read_descriptions(tmp_path / "nowhere").of("mood") is None


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("function f() {\n  return (<div><p>Hello</div>\n", r"x_help\.jsx:2: .* never closed"),
        ("function f() { return <div {...all\n", r"x_help\.jsx:1: A '\{' is never closed"),
        ("function f() { return <div id='a>\n", r"x_help\.jsx:1: The text after ' never ends"),
        ("function f() { return <div \n", r"x_help\.jsx:1: A tag has no '>'"),
    ],
)
def test_code_that_cannot_be_read(components: Path, code: str, message: str) -> None:
    (components / "task_descriptions" / "x_help.jsx").write_text(code)
    with pytest.raises(InputError, match=message):
        read_descriptions(components).of("x")


def test_functions_that_call_each_other_end(components: Path) -> None:
    file = components / "task_descriptions" / "x_help.jsx"
    file.write_text("function f() { return (<p>again {f()}</p>) }")
    said = read_descriptions(components).of("x")
    assert said is not None
    assert said.computed == ("f()",)
