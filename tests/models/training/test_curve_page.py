"""The page of a curve: one file, nothing from elsewhere, its first line the answer."""

import html
import json
import math
import re

from palaver.models.training.curve import CurveRow, epoch_line, read_rows
from palaver.models.training.curve_page import curve_page
from palaver.models.training.snapshot import TrainingState


def state_of(*values: float) -> TrainingState:
    rows = [
        CurveRow(
            epoch=n, loss=5.0, rate=0.1, seconds=1.0, measured={"perplexity": v}, is_best=n == 2
        )
        for n, v in enumerate(values, start=1)
    ]
    return TrainingState(epoch=len(rows), rows=rows, best=min(values, default=0.0), best_epoch=2)


def page_of(state: TrainingState, *, done: bool, name: str = "deal") -> str:
    return curve_page(state, name=name, watched="perplexity", epochs=9, done=done)


def test_the_first_line_is_the_answer() -> None:
    page = page_of(state_of(7.5, 5.25, 6.0), done=True)
    assert '<h1 id="headline">deal: perplexity 5.25, best in epoch 2</h1>' in page
    found = re.search(r'<pre id="curve" hidden>(.*?)</pre>', page)
    assert found is not None
    assert [
        row["measured"]["perplexity"] for row in json.loads(html.unescape(found[1]))["rows"]
    ] == [7.5, 5.25, 6]


def test_it_renews_itself_while_it_runs_and_needs_nothing_from_elsewhere() -> None:
    running, finished = page_of(state_of(7.5), done=False), page_of(state_of(7.5), done=True)
    assert 'http-equiv="refresh"' in running
    assert 'http-equiv="refresh"' not in finished
    assert not re.search(
        r"(?:src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)", finished
    )


def test_a_name_cannot_break_out_of_the_page() -> None:
    page = page_of(state_of(7.5), done=True, name="</script><script>alert(1)</script>")
    assert "<script>alert" not in page


def test_a_measure_that_is_no_number_does_not_break_the_page() -> None:
    state = state_of(7.5, math.nan)
    curve = re.search(r'<pre id="curve" hidden>(.*?)</pre>', page_of(state, done=True))
    assert curve is not None
    assert "NaN" not in curve[1]
    rows = read_rows(json.loads(html.unescape(curve[1]))["rows"])
    assert rows[0] == state.rows[0]
    assert math.isnan(rows[1].measured["perplexity"])


def test_an_epoch_is_a_line_of_a_terminal() -> None:
    state = state_of(8.0, 4.0)
    line = epoch_line(state.rows[-1], epochs=12, watched="perplexity", rows=state.rows)
    assert line == "epoch  2/12  loss 5  perplexity 4  1.0 s  █▁  best so far"
