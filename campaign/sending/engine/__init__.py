"""The loop that sends: valves hold it, deliveries carry one batch each, the tally counts."""
