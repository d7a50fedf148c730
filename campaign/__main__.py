"""`python -m campaign` is the same as `campaign`."""

from campaign.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
