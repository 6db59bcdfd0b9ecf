"""What every front end does: typed requests, and functions that carry them out, for notebooks and programs too."""
