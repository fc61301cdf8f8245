"""A report: from a study, a bundle and tables; its links, its numbers, its manifest."""

import csv
import json
import re
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from palaver.analysis.figures.figure import ROLES
from palaver.analysis.win_rates import CountedPreference, win_rates
from palaver.cli.statistics.report_command import command
from palaver.core.errors import InputError
from palaver.reports.export import export_study
from palaver.reports.pages import LOOK
from palaver.reports.report.parts import written
from palaver.reports.target import opened_study
from support.reporting import reported_study
from support.seeding import NOW

QUESTIONS = ("quality", "warmth", "preference")
OPTIONS = (
    "--dialogues",
    "--bootstrap",
    "200",
    "--seed",
    "7",
    *(word for name in QUESTIONS for word in ("--question", name)),
)


def report(*words: str) -> str:
    """Run the command; what it printed."""
    result = CliRunner().invoke(command, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of three systems, judged by five raters."""
    return reported_study(tmp_path_factory.mktemp("studies") / "judged", dialogues=5)


@pytest.fixture(scope="module")
def folder(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the study."""
    found = tmp_path_factory.mktemp("reports") / "report"
    report(str(home), "-o", str(found), "--pay", "12", "--quality", "quality", *OPTIONS)
    return found


class Links(HTMLParser):
    """What a page points at, which places it has, and what it would load."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            if name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in {"src", "href", "srcset", "data", "action"}:
                self.loads.append(value or "")
            elif name == "id":
                assert value not in self.places, f"{value} stands twice"
                self.places.add(value or "")


def pages(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.rglob("*.html"))


def test_the_page_says_the_answer_and_its_state(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert "<span><bdi>Judged</bdi>: report</span>" in text
    assert re.search(r"<h1>[^<]*(leads|cannot be distinguished)", text)
    assert 'class="tag good">Final' in text
    assert "Which partner was better company?" in text


def test_every_link_resolves_inside_the_folder(folder: Path) -> None:
    seen = 0
    for page in pages(folder):
        for link in Links(page).links:
            path, _, place = link.partition("#")
            target = (page.parent / path).resolve() if path else page.resolve()
            assert target.is_relative_to(folder.resolve()), link
            assert target.is_file(), link
            if place:
                assert place in Links(target).places, link
            seen += 1
    assert seen > 40


def test_a_page_loads_nothing_and_runs_nothing(folder: Path) -> None:
    for page in pages(folder):
        found = Links(page)
        assert found.loads == []
        assert not found.tags & {"script", "link", "img", "iframe", "object", "form"}
        assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page.read_text())


def test_each_system_leads_to_exactly_its_labels(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    (place,) = set(re.findall(r'href="(evidence/labels-quality.html#system-1)"', text))
    page = (folder / place.partition("#")[0]).read_text(encoding="utf-8")
    section = re.search(r'id="system-1">(.*?)</section>', page, re.S)
    assert section is not None
    with (folder / "tables" / "labels-quality.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    name = re.search(r"<h2>(.*?)</h2>", section[1])
    assert name is not None
    mine = [row for row in rows if row["system"] == name[1]]
    assert section[1].count("<tr>") == len(mine) + 1
    assert all(row["dialogue"] in section[1] for row in mine)


def test_a_label_leads_to_what_was_said(folder: Path) -> None:
    page = (folder / "evidence" / "labels-quality.html").read_text(encoding="utf-8")
    (place, name), *_ = re.findall(r'href="../dialogues.html#(dialogue-\d+)">([^<]+)</a>', page)
    said = (folder / "dialogues.html").read_text(encoding="utf-8")
    section = re.search(rf'id="{place}">(.*?)</section>', said, re.S)
    assert section is not None
    assert re.fullmatch(r"d\d\d+", name)
    assert f"<bdi>{name}</bdi></h2>" in section[1]
    assert '<p class="speaker">Person 1</p><p dir="auto">Hello</p>' in section[1]


def test_the_colours_are_those_of_the_pages(folder: Path) -> None:
    tokens = (LOOK / "tokens.css").read_text(encoding="utf-8")
    light, dark = (
        dict(
            re.findall(r"(--[a-z0-9-]+): (#[0-9a-f]{6});", tokens.split(start, 1)[1].split("}")[0])
        )
        for start in (":root {", "prefers-color-scheme: dark")
    )
    assert {token: (bright, dim) for bright, (dim, token) in ROLES.items()} == {
        token: (light[token], dark[token]) for _, token in ROLES.values()
    }
    for page in (folder / "index.html", folder / "dialogues.html"):
        assert tokens in page.read_text(encoding="utf-8")


# --- The commands that stand beside the numbers ------------------------------------------------------


def commands(folder: Path) -> list[list[str]]:
    text = (folder / "index.html").read_text(encoding="utf-8")
    found = re.findall(r"<pre[^>]*><code>(palaver .*?)</code></pre>", text)
    return [shlex.split(each) for each in dict.fromkeys(found)]


def recomputed(folder: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a printed command says when it is run in the folder."""
    monkeypatch.chdir(folder)
    run = import_module(f"palaver.cli.statistics.{words[1]}_command").command
    result = CliRunner().invoke(run, [*words[2:], "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / "tables" / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def shown(folder: Path, slug: str) -> str:
    text = (folder / "index.html").read_text(encoding="utf-8")
    found = re.search(rf'<table id="table-{slug}".*?</table>', text, re.S)
    assert found is not None
    return found[0]


def test_every_command_on_the_page_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [words[1] for words in commands(folder)]
    assert set(names) == {"rank", "agreement", "compare", "validity"}
    for words in commands(folder):
        assert recomputed(folder, words, monkeypatch)


def test_the_rank_command_gives_the_same_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (words,) = [each for each in commands(folder) if each[1] == "rank"]
    found = recomputed(folder, words, monkeypatch)
    rows = table(folder, "ranking-preference")
    assert [row["System"] for row in rows] == [each["system"] for each in found["systems"]]
    for row, each in zip(rows, found["systems"], strict=True):
        assert float(row["Strength"]) == each["strength"]
        ends = [float(row["95 % interval, low"]), float(row["95 % interval, high"])]
        assert ends == each["interval"]
        assert [int(row["Ranks, low"]), int(row["Ranks, high"])] == each["rank_interval"]
        assert written(each["strength"], "number") in shown(folder, "ranking-preference")
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert found["answer"] in text
    assert found["state"] == "final"


@pytest.mark.parametrize("slug", ["quality", "preference"])
def test_the_agreement_commands_give_the_same_numbers(
    folder: Path, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (words,) = [
        each for each in commands(folder) if each[1] == "agreement" and f"-{slug}.csv" in each[2]
    ]
    found = recomputed(folder, words, monkeypatch)
    rows = {row["Coefficient"]: row for row in table(folder, f"agreement-{slug}")}
    alpha = rows["Krippendorff's α"]
    assert float(alpha["Value"]) == found["alpha"]
    assert float(alpha["95 % interval, low"]) == found["interval"][0]
    assert float(alpha["95 % interval, high"]) == found["interval"][1]
    assert float(rows["Percent agreement"]["Value"]) == found["percent"]
    pairs = {row["Raters"]: row for row in table(folder, f"raters-{slug}")}
    for pair in found["pairwise"]["pairs"]:
        assert float(pairs[f"{pair['a']}, {pair['b']}"]["α"]) == pair["alpha"]


def test_the_compare_command_gives_the_same_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (words,) = [
        each for each in commands(folder) if each[1] == "compare" and "-quality.csv" in each[2]
    ]
    found = recomputed(folder, words, monkeypatch)
    means = {row["System"]: row for row in table(folder, "means-quality")}
    for each in found["systems"]:
        row = means[each["system"]]
        assert float(row["Mean"]) == each["value"]
        assert float(row["95 % interval, low"]) == each["interval"][0]
    pairs = table(folder, "comparisons-quality")
    assert len(pairs) == len(found["pairs"]) == 3
    for row, each in zip(pairs, found["pairs"], strict=True):
        assert float(row["Difference"]) == each["difference"]
        assert float(row["p, corrected"]) == each["adjusted_p"]


def test_the_validity_command_gives_the_same_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (words,) = [each for each in commands(folder) if each[1] == "validity"]
    found = recomputed(folder, words, monkeypatch)
    (row,) = table(folder, "predictive-validity")
    (each,) = found["predictive"]
    assert (row["Label"], float(row["R²"])) == (each["label"], each["r2"])
    assert float(row["95 % interval, high"]) == each["interval"][1]


# --- Numbers by hand ---------------------------------------------------------------------------------


def test_means_counts_and_costs_are_those_of_the_rows(folder: Path) -> None:
    rows = table(folder, "labels-quality")
    for row in table(folder, "means-quality"):
        mine = [float(each["value"]) for each in rows if each["system"] == row["System"]]
        assert float(row["Mean"]) == pytest.approx(sum(mine) / len(mine))
        assert int(row["Answers"]) == len(mine) == 25
    for row in table(folder, "answers-quality"):
        mine = [each["answer"] for each in rows if each["system"] == row["System"]]
        assert {answer: int(row[answer]) for answer in "12345"} == {
            answer: mine.count(answer) for answer in "12345"
        }
    seconds = [float(each["seconds"]) for each in rows]
    (time,) = [row for row in table(folder, "time") if row["Question"] == "quality"]
    assert float(time["Mean seconds"]) == pytest.approx(sum(seconds) / len(seconds))
    assert float(time["Cost of all (GBP)"]) == pytest.approx(sum(seconds) * 12 / 3600)


def test_direct_comparisons_are_those_of_the_win_rates(folder: Path) -> None:
    words = {"model_a": "first", "model_b": "second", "tie": "tie"}
    rates = win_rates(
        CountedPreference(row["model_a"], row["model_b"], words[row["winner"]], 1)
        for row in table(folder, "votes-preference")
    )
    rows = table(folder, "pairs-preference")
    assert len(rows) == len(rates.pairs) == 3
    for row in rows:
        one, _, other = row["Systems"].partition(" against ")
        tally = rates.between(one, other)
        assert (int(row["Wins"]), int(row["Ties"]), int(row["Losses"])) == (
            tally.wins,
            tally.ties,
            tally.losses,
        )
    for row in table(folder, "ranking-preference"):
        assert float(row["Win rate"]) == rates.systems[row["System"]].rate


def test_the_methods_name_the_numbers(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    methods = re.search(r'id="methods">(.*?)</section>', text, re.S)
    assert methods is not None
    for words in (
        "75 pairwise votes and 150 ratings",
        "5 simulated raters",
        "15 dialogues",
        "200 draws",
        "seed 7",
        "Davidson, 1970",
        "Krippendorff&#39;s α",
        "Holm",
    ):
        assert words in methods[1]


# --- Files -------------------------------------------------------------------------------------------


def test_figures_and_tables_lie_beside_the_page(folder: Path) -> None:
    text = (folder / "index.html").read_text(encoding="utf-8")
    names = set(re.findall(r'id="figure-([^"]+)"', text))
    assert {"ranks-preference", "means-quality", "agreement", "raters-quality", "time"} <= names
    for name in names:
        assert (folder / "figures" / f"{name}.svg").read_text(encoding="utf-8").startswith("<svg")
        assert (folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    latex = (folder / "tables" / "ranking-preference.tex").read_text(encoding="utf-8")
    assert "\\begin{tabular}{lr" in latex
    assert "95 \\% interval" in latex


def test_the_manifest_says_what_the_report_was_made_from(folder: Path, home: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["format"] == "palaver-report"
    assert manifest["source"] == str(home)
    assert manifest["seed"] == 7
    assert "--quality quality" in manifest["command"]
    assert set(manifest["inputs"]) == {
        "tables/labels-quality.csv",
        "tables/labels-warmth.csv",
        "tables/labels-preference.csv",
        "tables/votes-preference.csv",
    }
    on_disk = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert set(manifest["files"]) == on_disk - {"manifest.json"}
    assert {"numpy", "scipy"} <= set(manifest["packages"])


def without_time(folder: Path) -> dict[str, bytes]:
    """Every file but for the one stated time and the manifest, which digests it."""
    found = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    page, times = re.subn(rb"<time .*?</time>", b"", found["index.html"])
    assert times == 1
    return found | {"index.html": page}


def test_made_again_from_its_manifest_it_is_the_same(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    said = report(str(folder / "manifest.json"), "-o", str(again))
    assert "The answers are those of the earlier report." in said
    assert without_time(again) == without_time(folder)


def test_a_bundle_gives_the_same_numbers(folder: Path, home: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "judged.zip"
    with opened_study(home) as opened:
        export_study(
            opened.store, format="bundle", destination=bundle, study="judged", mask=False, now=NOW
        )
    target = tmp_path / "report"
    report(str(bundle), "-o", str(target), "--pay", "12", "--quality", "quality", *OPTIONS)
    assert without_time(target) == without_time(folder)


# --- Tables of others --------------------------------------------------------------------------------


def test_a_table_of_votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    votes = tmp_path / "battles.csv"
    rows = [("x", "y", "model_a"), ("y", "x", "model_a"), ("x", "y", "tie (bothbad)")] * 7
    lines = [
        ",".join(row) for row in [("model_a", "model_b", "winner"), *rows, ("x", "y", "model_a")]
    ]
    votes.write_text("\n".join(lines) + "\n", encoding="utf-8")
    target = tmp_path / "report"
    said = report(str(votes), "-o", str(target), "--planned", "100", "--bootstrap", "100")
    assert "cannot be distinguished" in said
    text = (target / "index.html").read_text(encoding="utf-8")
    assert 'class="tag warning">Provisional' in text
    (words,) = commands(target)
    assert recomputed(target, words, monkeypatch)["votes"] == 22
    (first, _) = table(target, "ranking-battles")
    assert (first["Wins"], first["Ties"], first["Losses"]) == ("8", "7", "7")


def test_a_table_of_ratings_with_columns_of_its_own(tmp_path: Path) -> None:
    ratings = tmp_path / "judged & rated.csv"
    lines = ["what,who,said,bot,topic"]
    for n in range(8):
        for who in ("ann", "bo"):
            lines.append(f"u{n},{who},{n % 3 + (who == 'bo')},bot-{n % 2},fun")
    ratings.write_text("\n".join(lines), encoding="utf-8")
    target = tmp_path / "report"
    words = ("--unit", "what", "--rater", "who", "--value", "said", "--system", "bot")
    report(
        str(ratings), "-o", str(target), *words, "--level", "interval", "--by", "topic",
        "--bootstrap", "100", "--title", "Fun <at> work",
    )  # fmt: skip
    text = (target / "index.html").read_text(encoding="utf-8")
    assert "<span><bdi>Fun &lt;at&gt; work</bdi>: report</span>" in text
    assert {row["System"] for row in table(target, "means-fun")} == {"bot-0", "bot-1"}
    assert (target / "tables" / "labels-fun.csv").is_file()


# --- Nothing, and what is wrong ----------------------------------------------------------------------


def test_an_empty_study_says_so_in_words(tmp_path: Path) -> None:
    home = reported_study(tmp_path / "empty", systems=())
    target = tmp_path / "report"
    said = report(str(home), "-o", str(target))
    assert "There are no answers yet" in said
    text = (target / "index.html").read_text(encoding="utf-8")
    assert "Serve the study and have it judged" in text
    assert 'class="tag warning">Provisional' in text


def test_an_earlier_report_stays_unless_it_may_be_replaced(folder: Path, home: Path) -> None:
    with pytest.raises(InputError, match="is not empty"):
        report(str(home), "-o", str(folder))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--question", "qualty"), "no question 'qualty'. Near: 'quality'"),
        (("--quality", "preference"), "No numeric ratings are called 'preference'"),
        (("--pay", "-1"), "An hourly pay is a number of 0 or more; got -1"),
        (("--bootstrap", "5"), "100 or more draws"),
    ],
)
def test_what_cannot_be_done_is_said(
    home: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        report(str(home), "-o", str(tmp_path / "report"), *words)
    assert not (tmp_path / "report").exists()


def test_a_table_that_is_neither(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="use --level to say what its values are"):
        report(str(file), "-o", str(tmp_path / "report"))
    with pytest.raises(InputError, match=r"x\.csv has no column 'unit'"):
        report(str(file), "-o", str(tmp_path / "report"), "--level", "ordinal")


@pytest.mark.parametrize(
    ("lines", "words", "message"),
    [
        (["model_a,model_b,winner"], (), "has no votes"),
        (["model_a,model_b,winner", "x,y,z"], (), "row 2"),
        (["model_a,model_b,winner", "x,,model_a"], (), "row 2"),
        (["unit,rater,value"], ("--level", "nominal"), "has no rows"),
        (
            ["unit,rater,value", "u,r,1", "u,r,2"],
            ("--level", "ordinal"),
            "judged the unit 'u' before",
        ),
        (
            ["unit,rater,value", "u,r,x"],
            ("--level", "interval"),
            "should contain finite numbers; got 'x'",
        ),
        (["unit,rater,value", "u,r,-1"], ("--level", "ratio"), "values must be 0 or more; got -1"),
    ],
)
def test_a_table_that_cannot_be_read(
    tmp_path: Path, lines: list[str], words: tuple[str, ...], message: str
) -> None:
    file = tmp_path / "table.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        report(str(file), "-o", str(tmp_path / "report"), *words)


def test_one_rater_one_answer_all_ties_are_named(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("unit,rater,value,system\nu,r,3,a\nv,r,3,b\n", encoding="utf-8")
    report(str(file), "-o", str(tmp_path / "ratings"), "--level", "ordinal", "--bootstrap", "100")
    text = (tmp_path / "ratings" / "index.html").read_text(encoding="utf-8")
    assert "nothing has been judged by two raters" in text
    (alpha,) = table(tmp_path / "ratings", "agreement")
    assert alpha["α"] == ""
    file.write_text("model_a,model_b,winner\na,b,tie\nb,a,tie\n", encoding="utf-8")
    report(str(file), "-o", str(tmp_path / "votes"), "--bootstrap", "100")
    text = (tmp_path / "votes" / "index.html").read_text(encoding="utf-8")
    assert "every vote is a tie" in text
    assert [row["Strength"] for row in table(tmp_path / "votes", "ranking-table")] == ["", ""]


def test_a_report_whose_source_is_gone(folder: Path, tmp_path: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["source"] = str(tmp_path / "gone")
    moved = tmp_path / "moved"
    moved.mkdir()
    (moved / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(InputError, match="which is no longer there"):
        report(str(moved / "manifest.json"), "-o", str(tmp_path / "report"))
