"""Where Keras says what it noticed: the logger of `tf.logging`."""

from __future__ import annotations

import logging

_logger = logging.getLogger("tensorflow")
warning = _logger.warning
