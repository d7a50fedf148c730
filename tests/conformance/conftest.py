"""The raw server of the tests above is used here too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
