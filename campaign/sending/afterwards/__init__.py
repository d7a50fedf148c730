"""What people do with a campaign once it was sent: settle, reconcile, close, list, erase."""
