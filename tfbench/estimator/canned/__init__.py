"""The estimators whose models TensorFlow has ready: a head, which knows the loss, on the logits of a model."""
