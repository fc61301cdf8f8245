"""The board of models in a real browser: sliders, intervals that follow, phones, and no scripts."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from palaver.analysis.dynascore import dynascore
from palaver.evaluation.datasets import change_dataset
from palaver.storage import Store
from palaver.storage.evaluation.submitters import add_submitter
from palaver.storage.people.accounts import create_account
from palaver.studies.run.deployment import Deployment
from palaver.web.app import create_app
from palaver.web.formatting import between, number, ranks
from support.browsing import scrolls_sideways
from support.desks import PASSWORD, PATIENT, hashed
from support.public_boards import PublicBoard, home_folder, running
from support.seeding import NOW

pytestmark = pytest.mark.browser

LONG = "a-model-with-the-longest-name-that-anybody-may-give-to-a-model"
TITLE = "استدلال اللغة الطبيعية"
WEIGHTS = "m=4|5|0|1|1&d=5|0|2"


@dataclass
class Served:
    """A served board of several models, some of which cannot be ranked."""

    base: str
    board: PublicBoard
    keys: dict[str, str]
    secret: str


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = home_folder(tmp_path_factory.mktemp("board"))
    store = Store(f"sqlite:///{folder / 'palaver.db'}")
    deployment = Deployment(store, [], folder=folder)
    store.write_now(
        lambda c: create_account(
            c, name="ruth", role="reviewer", password_hash=hashed(PASSWORD), one_time=False, now=NOW
        )
    )
    board = PublicBoard(deployment.evaluation)
    board.policy(terms="Train on *nothing* from the test sets.", title=TITLE)
    team = store.write_now(
        lambda c: add_submitter(c, task_id=board.row.id, team="فريق الليل", now=NOW)
    )
    keys = board.fill()
    keys[LONG] = board.model(LONG, 0.83, tags=["large"], submitter_id=team.id)
    keys["hidden"] = board.model("hidden", 0.8, published=False, tags=["large"])
    keys["uploaded"] = board.model("uploaded", 0.75, timed=False)
    keys["half"] = board.model("half", 0.8, only=["hans"])
    try:
        with running(create_app(deployment, PATIENT)) as base:
            yield Served(base, board, keys, team.token)
    finally:
        store.close()


@pytest.fixture(scope="module")
def forty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a board of forty models."""
    folder = home_folder(tmp_path_factory.mktemp("forty"))
    store = Store(f"sqlite:///{folder / 'palaver.db'}")
    deployment = Deployment(store, [], folder=folder)
    board = PublicBoard(deployment.evaluation, sets={"snli-test": 40, "hans": 30})
    board.fill({f"model-{n}": 0.4 + 0.014 * n for n in range(40)})
    try:
        with running(create_app(deployment, PATIENT)) as base:
            yield base
    finally:
        store.close()


def set_weight(page: Page, place: int, value: str) -> None:
    """Move a slider."""
    page.locator(".slider input[type=range]").nth(place).fill(value)


def shown_row(page: Page, key: str) -> dict[str, str]:
    """What the row of a model says, by field."""
    row = page.locator(f'tr[data-model="{key}"]')
    found = row.evaluate(
        """(row) => Object.fromEntries([...row.querySelectorAll("[data-field], [data-range]")].map(
            (node) => [node.dataset.field ?? `${node.dataset.range} range`, node.textContent]))"""
    )
    return {name: str(text) for name, text in found.items()}


def order(page: Page) -> list[str]:
    """The keys of the rows from top to bottom."""
    return [str(each) for each in page.locator("tr[data-model]").evaluate_all(
        "(rows) => rows.map((row) => row.dataset.model)")]  # fmt: skip


def longest_rise(numbers: list[int]) -> int:
    """How many of the numbers rise at most: what need not move."""
    lengths: list[int] = []
    for at, one in enumerate(numbers):
        lengths.append(1 + max((lengths[n] for n in range(at) if numbers[n] < one), default=0))
    return max(lengths)


def accept(page: Page) -> None:
    """Accept the terms, unless the team has done so before."""
    box = page.get_by_label("We accept these terms")
    if box.count():
        box.check()
        page.get_by_role("button", name="Accept and continue").click()


def tables(dice: np.random.Generator) -> Iterator[tuple[list[list[float]], dict[str, Any]]]:
    """Tables of models × metrics with what the paper leaves open: ties, gaps, single models."""
    fixed: list[list[float]] = [[60, 10, 4, 90, 80], [70, 6, 8, 92, 70], [65, 8, 2, 95, 85]]
    usual = {"directions": [1, 1, -1, 1, 1], "offsets": [0.0, 0, 16, 0, 0]}
    yield fixed, {**usual, "weights": [4.0, 1, 1, 1, 1]}
    yield fixed[:1], {**usual, "weights": [4.0, 1, 1, 1, 1]}
    yield [fixed[0], fixed[0]], {**usual, "weights": [4.0, 1, 1, 1, 1]}
    yield [[*row[:3], 90.0, row[4]] for row in fixed], {**usual, "weights": [0.0, 1, 1, 5, 1]}
    yield [[row[0], 7.0, 7.0, 7.0, 7.0] for row in fixed], {**usual, "weights": [0.0, 1, 1, 5, 1]}
    for models in (1, 2, 3, 8, 30):
        for _ in range(8):
            table = dice.normal(70, 10, (models, 5))
            table[dice.random((models, 5)) < 0.05] = np.nan
            # Ties, near ties and constant metrics.
            table[:, 0] = np.where(dice.random(models) < 0.3, 70.0, table[:, 0])
            table[:, 0] += np.where(dice.random(models) < 0.2, 1e-3, 0.0)
            if dice.random() < 0.3:
                table[:, int(dice.integers(1, 5))] = 3.5
            yield (
                table.tolist(),
                {
                    "weights": [*dice.integers(0, 6, 5).astype(float).tolist()[:4], 1.0],
                    "directions": dice.choice([1, -1], 5).tolist(),
                    "offsets": dice.choice([0.0, 32.0], 5).tolist(),
                },
            )


def same(one: Any, other: Any) -> bool:
    """Whether two lists of numbers agree, also in what is undefined."""
    return len(one) == len(other) and all(
        (a is None or math.isnan(a)) == (b is None or math.isnan(b))
        and (a is None or math.isnan(a) or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9))
        for a, b in zip(one, other, strict=True)
    )


def test_the_script_computes_what_the_library_computes(served: Served, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{served.base}/tasks")
    cases = list(tables(np.random.default_rng(7)))
    assert len(cases) == 45
    asked = [
        ([[None if math.isnan(value) else value for value in row] for row in table], options)
        for table, options in cases
    ]
    answers = page.evaluate(
        """async (cases) => {
            const { dynascore } = await import("/static/dynascore.js");
            const plain = (list) => list.map((value) => (Number.isFinite(value) ? value : null));
            return cases.map(([table, options]) => {
                const values = table.map((row) => row.map((value) => value ?? NaN));
                const found = dynascore(values, options);
                return { pairs: found.pairs, scores: plain(found.scores), amrs: plain(found.amrs),
                         shares: plain(found.shares) };
            });
        }""",
        asked,
    )
    for (table, options), found in zip(cases, answers, strict=True):
        expected = dynascore(np.array(table), **options)
        assert found["pairs"] == expected.pairs
        for name in ("scores", "amrs", "shares"):
            assert same(found[name], getattr(expected, name).tolist()), (table, options, name)


def test_points_are_seen_at_once_and_intervals_follow(served: Served, new_page: Any) -> None:
    page = new_page(own_clock=True)
    # The page's time passes only when it is told to.
    page.clock.install(time=datetime(2026, 1, 1, tzinfo=UTC))
    page.goto(f"{served.base}/tasks/nli")
    page.clock.pause_at(datetime(2026, 1, 2, tzinfo=UTC))
    held: list[Any] = []
    page.route("**/board.json*", lambda route: held.append(route))
    for place, value in ((1, "5"), (2, "0"), (6, "0"), (7, "2")):
        set_weight(page, place, value)
        page.clock.run_for(200)
    answer = page.request.get(f"{served.base}/tasks/nli/board.json?{WEIGHTS}").json()

    expect(page.locator("dyna-board")).to_have_class(re.compile("pending"))
    expect(page).to_have_url(re.compile(r"m=4%7C5%7C0%7C1%7C1&d=5%7C0%7C2"))
    assert order(page) == [e["key"] for e in (*answer["models"], *answer["not_ranked"])]
    for model in answer["models"]:
        row = shown_row(page, model["key"])
        assert row["score"] == number(model["dynascore"]["value"])
        assert row["rank"] == str(model["rank"])
        averages = [number(model["averages"][e["key"]]["value"]) for e in answer["metrics"]]
        assert [row[f"m{n}"] for n in range(5)] == averages
    assert shown_row(page, served.keys["half"])["rank"] == "–"
    # Without a rank under these weights, and with the averages that it has.
    apart = next(each for each in answer["not_ranked"] if each["name"] == "uploaded")
    uploaded = shown_row(page, apart["key"])
    assert (uploaded["rank"], uploaded["score"], uploaded["m1"]) == ("–", "–", "–")
    assert uploaded["m0"] == number(apart["averages"]["accuracy"]["value"])

    assert not held, "the sliders have not rested yet"
    page.clock.run_for(200)
    while not held:
        page.wait_for_timeout(10)
    assert len(held) == 1, "the server is asked once, after the sliders rest"
    page.clock.resume()
    held[0].continue_()
    expect(page.locator("dyna-board")).to_have_attribute("aria-busy", "false")
    for model in answer["models"]:
        row = shown_row(page, model["key"])
        assert row["score range"] == between(model["dynascore"]["interval"])
        assert row["rank range"] == ranks(model["rank_interval"])
        ends = [between(model["averages"][e["key"]]["interval"]) for e in answer["metrics"]]
        assert [row[f"m{n} range"] for n in range(5)] == ends
    expect(page.locator("#answer")).to_have_text(answer["answer"])
    assert page.locator("[data-part=warnings] li").all_text_contents() == answer["warnings"]


@pytest.mark.parametrize("metric", ["robustness", "memory"])
def test_a_reader_ranks_by_one_metric(served: Served, new_page: Any, metric: str) -> None:
    """The second is better the lower it is; sliders of data sets move the order at once."""
    page = new_page()
    page.goto(f"{served.base}/tasks/nli")
    page.get_by_label("Rank by").select_option(metric)
    expect(page).to_have_url(re.compile(f"metric={metric}"))
    expect(page.get_by_role("slider")).to_have_count(3)
    said = {"robustness": "Ranked by Robustness.", "memory": "Ranked by Memory, lowest first."}
    expect(page.get_by_text(said[metric], exact=True)).to_be_visible()
    set_weight(page, 0, "0")
    expect(page.locator("dyna-board")).to_have_attribute("aria-busy", "false")
    expect(page).to_have_url(re.compile(f"metric={metric}&d=0%7C5%7C5$"))
    asked = f"{served.base}/tasks/nli/board.json?metric={metric}&d=0|5|5"
    answer = page.request.get(asked).json()
    assert order(page) == [e["key"] for e in (*answer["models"], *answer["not_ranked"])]
    values = [model["averages"][metric]["value"] for model in answer["models"]]
    assert values == sorted(values, reverse=metric == "robustness")
    for model in answer["models"]:
        row, one = shown_row(page, model["key"]), model["averages"][metric]
        assert (row["rank"], row["score"]) == (str(model["rank"]), number(one["value"]))
        assert row["score range"] == between(one["interval"])
        assert row["rank range"] == ranks(model["rank_interval"])
    expect(page.locator("#answer")).to_have_text(answer["answer"])
    opened = new_page()
    opened.goto(page.url)
    assert order(opened) == order(page)
    csv_link = page.get_by_role("link", name="CSV").get_attribute("href") or ""
    assert f"metric={metric}&d=0%7C5%7C5" in csv_link


def test_an_address_with_weights_is_the_same_board(served: Served, new_page: Any) -> None:
    moved, opened = new_page(), new_page()
    moved.goto(f"{served.base}/tasks/nli")
    for place, value in ((1, "5"), (2, "0"), (6, "0"), (7, "2")):
        set_weight(moved, place, value)
    expect(moved.locator("dyna-board")).to_have_attribute("aria-busy", "false")
    opened.goto(moved.url)
    assert order(opened) == order(moved)
    for name, key in served.keys.items():
        if name == "hidden":
            continue  # nobody published it
        assert shown_row(opened, key) == shown_row(moved, key)
    csv_link = moved.get_by_role("link", name="CSV").get_attribute("href") or ""
    assert "m=4%7C5%7C0%7C1%7C1" in csv_link


def test_sliders_move_by_keyboard_and_no_weight_is_told(served: Served, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{served.base}/tasks/nli")
    slider = page.get_by_role("slider", name="Throughput")
    slider.focus()
    slider.press("ArrowRight")
    expect(slider).to_have_value("0.5")
    expect(page.get_by_role("spinbutton")).to_have_count(0)
    for place in range(5):
        set_weight(page, place, "0")
    expect(page.get_by_role("alert")).to_contain_text("Give at least one metric a weight")
    set_weight(page, 0, "1")
    expect(page.locator("[data-part=wrong]")).to_be_hidden()
    expect(page.locator("dyna-board")).to_have_attribute("aria-busy", "false")


def test_a_server_that_does_not_answer_is_told(served: Served, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{served.base}/tasks/nli")
    page.route("**/board.json*", lambda route: route.abort())
    set_weight(page, 1, "5")
    expect(page.locator("[data-part=state]")).to_contain_text("could not be computed")
    page.unroute("**/board.json*")
    set_weight(page, 1, "4")
    expect(page.locator("[data-part=state]")).to_have_text("")


def test_all_numbers_have_their_intervals_on_demand(served: Served, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{served.base}/tasks/nli")
    row = page.locator(f'tr[data-model="{served.keys["t5-base"]}"]')
    expect(row.get_by_text("n = 90")).to_be_hidden()
    page.get_by_label("All numbers", exact=True).check()
    expect(row.get_by_text("n = 90")).to_be_visible()
    expect(row.locator('[data-range="m0"]')).to_be_visible()


def test_search_order_and_columns_are_kept_in_the_address(served: Served, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{served.base}/tasks/nli")
    shown = page.locator("tr[data-model]:visible")
    page.get_by_label("Search by model or team").fill("BERTA")
    expect(shown).to_have_count(2)
    expect(page.locator("[data-part=count]")).to_have_text("2 of 9 models")
    page.get_by_role("columnheader", name="Memory").get_by_role("button").click()
    page.get_by_role("columnheader", name="Memory").get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="Memory")).to_have_attribute(
        "aria-sort", "ascending"
    )
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Fairness", exact=True).and_(page.locator("[type=checkbox]")).uncheck()
    expect(page.get_by_role("columnheader", name="Fairness")).to_be_hidden()
    opened = new_page()
    opened.goto(page.url)
    expect(opened.locator("tr[data-model]:visible")).to_have_count(2)
    expect(opened.get_by_role("columnheader", name="Fairness")).to_be_hidden()
    assert order(opened) == order(page)
    least = page.locator("tr[data-model]:visible [data-field=m2]").all_text_contents()
    assert sorted(least, key=float) == least


def test_a_slider_moves_only_the_rows_out_of_place(forty: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{forty}/tasks/nli")
    before = order(page)
    page.evaluate(
        """() => {
            const body = document.querySelector("[data-part=table] tbody");
            window.rows = new Map([...body.rows].map((row) => [row.dataset.model, row]));
            window.built = 0;
            window.moved = new Set();
            new MutationObserver((changes) => changes.forEach(({ addedNodes }) => {
                for (const node of addedNodes) {
                    if (rows.get(node.dataset?.model) !== node) built += 1;
                    moved.add(node.dataset?.model);
                }
            })).observe(body, { childList: true });
        }"""
    )
    with page.expect_response("**/board.json*"):
        set_weight(page, 1, "5")
    expect(page.locator("dyna-board")).to_have_attribute("aria-busy", "false")
    after = order(page)
    assert sorted(after) == sorted(before)
    assert after != before
    assert page.evaluate("[...rows].every(([key, row]) => row.isConnected)")
    assert page.evaluate("built") == 0
    assert page.evaluate("moved.size") == len(after) - longest_rise(
        [before.index(e) for e in after]
    )
    expect(page.locator("trade-off circle")).to_have_count(40)


def test_a_trade_off_names_the_models_that_none_beats(forty: str, new_page: Any) -> None:
    page = new_page()
    page.goto(f"{forty}/tasks/nli")
    plot = page.locator("trade-off")
    finding = plot.get_by_role("heading")
    document = page.request.get(f"{forty}/tasks/nli/board.json?m=4|0|1|1|1").json()
    points = [
        (e["averages"]["throughput"]["value"], e["dynascore"]["value"]) for e in document["models"]
    ]
    best = sum(not any(a > x and b > y for a, b in points) for x, y in points)
    expect(finding).to_have_text(f"{best} of 40 models have none that is both better and faster")
    expect(plot.locator("circle.ahead")).to_have_count(best)
    plot.get_by_text("Memory", exact=True).click()
    expect(finding).to_contain_text("both better and smaller")


def test_without_scripts_a_form_does_the_same(served: Served, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served.base}/tasks/nli")
    page.get_by_role("spinbutton", name="Throughput").fill("0")
    page.get_by_role("spinbutton", name="hans").fill("0")
    page.get_by_role("button", name="Show with these weights").click()
    expect(page.get_by_role("spinbutton", name="Throughput")).to_have_value("0")
    expect(page.get_by_role("spinbutton", name="hans")).to_have_value("0")
    expect(page.get_by_role("slider")).to_have_count(0)
    expect(page.locator("trade-off")).to_be_hidden()
    expect(page.get_by_role("columnheader", name="anli-r3")).to_be_visible()
    page.get_by_label("All numbers", exact=True).check()
    expect(page.get_by_text("n = 60").first).to_be_visible()
    context.close()


@pytest.mark.long
def test_a_reviewer_forks_and_freezes(served: Served, new_page: Any, axe: Any) -> None:
    page = new_page()
    page.goto(f"{served.base}/desk/sign-in")
    page.get_by_label("Name").fill("ruth")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{served.base}/tasks/nli")
    set_weight(page, 1, "5")
    expect(page.locator("dyna-board")).to_have_attribute("aria-busy", "false")
    page.get_by_text("Save this board").click()
    page.get_by_role("textbox", name="Name").fill("Speed first")
    page.get_by_role("button", name=re.compile("Fork")).click()
    expect(page.get_by_text("Speed first", exact=True).first).to_be_visible()
    expect(page.get_by_role("slider", name="Throughput")).to_have_value("5")
    page.get_by_text("Save this board").click()
    page.get_by_role("textbox", name="Name").fill("As of today")
    page.get_by_role("button", name=re.compile("Snapshot")).click()
    expect(page.get_by_text("It never changes")).to_be_visible()
    assert page.locator("input[type=range]").count() == 0
    assert axe(page) == []


@pytest.mark.parametrize(
    ("phone", "dark"), [pytest.param(False, False, marks=pytest.mark.long), (True, True)]
)
def test_every_page_is_readable_everywhere(
    served: Served, new_page: Any, axe: Any, phone: bool, dark: bool
) -> None:
    page = new_page(phone=phone, dark=dark)
    problems: list[str] = []

    def check() -> None:
        # Not where a head that stays in sight covers half of a row.
        page.evaluate("scrollTo(0, 0)")
        problems.extend(axe(page))
        assert not scrolls_sideways(page), page.url

    models = (f"/nli/models/{served.keys[name]}" for name in (LONG, "uploaded"))
    for path in ("", "/nli?tag=large&m=1", *models, "/nli/data"):
        page.goto(f"{served.base}/tasks{path}")
        check()
    page.goto(f"{served.base}/tasks/nli")
    if phone:
        page.get_by_text("What matters to you?").click()
        expect(page.get_by_role("slider").first).to_be_visible()
        box = page.get_by_role("slider").first.bounding_box()
        assert box is not None
        assert box["height"] >= 40
    page.get_by_label("All numbers", exact=True).check()
    page.get_by_text("How the score is computed").click()
    check()
    page.goto(f"{served.base}/tasks/nli/submit")
    check()
    page.get_by_label("Token", exact=True).fill(served.secret)
    page.get_by_role("button", name="Use this token").click()
    check()
    accept(page)
    expect(page.get_by_role("button", name="Submit the model")).to_be_visible()
    check()
    page.goto(f"{served.base}/tasks/nli/submissions")
    check()
    assert problems == []


def test_submissions_keep_themselves_up_to_date(
    served: Served, new_page: Any, tmp_path: Path
) -> None:
    page = new_page()
    page.goto(f"{served.base}/tasks/nli/submit")
    page.get_by_label("Token", exact=True).fill(served.secret)
    page.get_by_role("button", name="Use this token").click()
    accept(page)
    page.get_by_label("Model name").fill("fresh")
    for name, gold in served.board.gold.items():
        lines = (f'{{"uid": "{name}-{n}", "label": "{each}"}}' for n, each in enumerate(gold))
        file = tmp_path / f"{name}.jsonl"
        file.write_text("\n".join(lines), encoding="utf-8")
        page.get_by_label(name, exact=True).set_input_files(file)
    page.get_by_role("button", name="Submit the model").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Submissions by")
    row = page.locator("tr", has_text="snli-test").first
    expect(row).to_contain_text("Done: accuracy")
    key = row.get_attribute("data-run") or ""

    def put(state: str, reason: str = "") -> None:
        served.board.home.store.write_now(
            lambda c: c.exec_driver_sql(
                f"UPDATE runs SET state = '{state}', reason = '{reason}' WHERE key = '{key}'"
            )
        )

    put("answering")
    page.reload()
    put("failed", "it hung up")
    expect(row).to_contain_text("Failed")
    expect(row).to_contain_text("it hung up")


def test_sliders_of_a_round_keep_it(served: Served, browser: Browser) -> None:
    board = served.board
    name = next(iter(board.sets))

    def of_round(number: int) -> None:
        board.home.store.write_now(
            lambda c: change_dataset(c, board.row, name, round=number, now=NOW)
        )

    of_round(4)
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{served.base}/tasks/nli?round=4")
        expect(page.get_by_role("link", name="Round 4")).to_have_attribute("aria-current", "true")
        with page.expect_response(re.compile(r"board\.json\?.*round=4")) as asked:
            page.locator("input[name=m]").first.evaluate(
                "field => { field.value = 2; field.dispatchEvent(new Event('input')); }"
            )
        assert asked.value.ok
        assert [each["name"] for each in asked.value.json()["datasets"]] == [name]
        expect(page).to_have_url(re.compile("round=4&m=2"))
        expect(page.locator("dyna-board.pending")).to_have_count(0)
    finally:
        context.close()
        of_round(0)
