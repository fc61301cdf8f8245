"""`palaver crowd dry-run`: what it prints, and that it says when something does not fit."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from palaver.cli.study.crowd_dry_run import command
from support.recruiting import write_study


def dry_run(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(each) for each in arguments], catch_exceptions=False)


def test_what_happened_is_printed_from_the_offer_to_the_reconciliation(tmp_path: Path) -> None:
    write_study(tmp_path / "birds")
    done = dry_run(tmp_path / "birds", "--people", 2)
    assert done.exit_code == 0
    assert "Created: 'Talk with a bird', 10 places at 2.00 GBP for 10 minutes" in done.output
    assert "did all steps" in done.output
    assert "Decided as suggested: 3 approved." in done.output
    assert "With simulated times: At the median time that is" in done.output
    assert "Everybody fits here and there." in done.output
    assert "Note: No system was asked" in done.output


def test_programs_read_the_same_as_json(tmp_path: Path) -> None:
    write_study(tmp_path)
    told = json.loads(dry_run(tmp_path, "--people", 1, "--json").output)
    assert (told["is_clean"], told["costs"]["source"], told["people"]) == (True, "panel", 6)
    # Codes are of this run alone; what people would be sent is not shown elsewhere either.
    assert "codes" not in told["offer"]
