"""The operation families, in the order in which they are declared. Importing this registers every op.

What a family lists in `__all__` is public: `tf.` names here, `tf.nn` and other namespaces elsewhere.
"""

from tfbench.engine.ops.base import *
