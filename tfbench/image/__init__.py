"""`tf.image`: images are tensors of (height, width, channels), or batches of such."""

from __future__ import annotations

from tfbench.engine.ops.array_patches import extract_image_patches
from tfbench.engine.ops.random import random_crop
from tfbench.image.adjust import *
from tfbench.image.boxes import *
from tfbench.image.codecs import *
from tfbench.image.color import *
from tfbench.image.crops import *
from tfbench.image.edges import *
from tfbench.image.flips import *
from tfbench.image.patches import *
from tfbench.image.quality import *
from tfbench.image.resize import *
from tfbench.image.sampling import *
from tfbench.image.types import *
