"""TEMP"""
import numpy as np
def keep_recorded(difference, rows):
    from campaign.sending.rounds.comparison import UNKNOWN, CHANGED, MOVED
    k = difference.comparison.knowledge
    settled = (k >= UNKNOWN) | (k == CHANGED) | (k == MOVED)
    return difference.plan, difference.spread(np.where(settled, difference.comparison.batches, 0))
def note_reached_before(plan, reached):
    return plan
