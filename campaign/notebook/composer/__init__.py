"""The composer: a campaign by clicks and typing, from the spreadsheet to the report. Begin with composer."""
