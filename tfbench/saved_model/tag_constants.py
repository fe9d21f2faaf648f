"""The tags that meta graphs are known by."""

GPU = "gpu"
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"

__all__ = ["GPU", "SERVING", "TPU", "TRAINING"]
