"""tf.contrib.slim.nets of TensorFlow 1.15: the graphs, and what training them begins with."""

from importlib import import_module

from tests.oracle import attempt, program


def nets(tf, name):
    root = "tfbench" if tf.__name__ == "tfbench" else "tensorflow"
    return getattr(import_module(root + ".contrib.slim.nets"), name)


def described(net, ends, tf):
    shapes = sorted((key, str(end.shape.as_list())) for key, end in ends.items())
    variables = [(variable.name, str(variable.shape.as_list())) for variable in tf.global_variables()]
    kept = [len(tf.get_collection(key)) for key in ("regularization_losses", "update_ops", "model_variables")]
    return net.shape, shapes, variables, kept


@program(cases=["1", "2"], oracle="1.15")
def residual_blocks(tf, version):
    """Two small blocks. (The epsilon is none that 1.15 would make larger.)"""
    module = nets(tf, "resnet_v" + version)
    block = getattr(module, f"resnet_v{version}_block")
    blocks = [block("one", base_depth=1, num_units=2, stride=2), block("two", base_depth=2, num_units=1, stride=1)]
    x = tf.placeholder(tf.float32, [2, 33, 33, 3])
    with tf.contrib.slim.arg_scope(module.resnet_arg_scope(batch_norm_epsilon=0.001)):
        net, ends = getattr(module, "resnet_v" + version)(x, blocks, num_classes=3)
    return described(net, ends, tf)


DENSE = {
    "features": dict(output_stride=None, global_pool=False),
    "stride 4": dict(output_stride=4, num_classes=2, global_pool=False),
    "no root": dict(output_stride=2, include_root_block=False),
    "not to be reached": dict(output_stride=16),
    "no multiple": dict(output_stride=6),
}


@program(cases=DENSE, oracle="1.15", graph=False)
def dense_results(tf, case):
    module = nets(tf, "resnet_v2")
    blocks = [module.resnet_v2_block(name, 1, 2, 2) for name in ("one", "two")]
    x = tf.placeholder(tf.float32, [2, 33, 33, 3])
    net, ends = module.resnet_v2(x, blocks, is_training=False, scope="mine", **case)
    rates = [op.name for op in tf.get_default_graph().get_operations() if op.type == "SpaceToBatchND"]
    return described(net, ends, tf), rates


@program(
    cases=["resnet_v1_50", "resnet_v2_101", "resnet_v1_152", "vgg_a", "vgg_16", "vgg_19"], oracle="1.15", graph=False
)
def whole(tf, name):
    kind = name.rpartition("_")[0]
    module = nets(tf, kind)
    network = getattr(module, name)
    x = tf.placeholder(tf.float32, [1, 224, 224, 3])
    with tf.contrib.slim.arg_scope(getattr(module, "resnet_arg_scope" if kind[0] == "r" else "vgg_arg_scope")()):
        net, ends = network(x, 7, is_training=False)
    counts = {}
    for op in tf.get_default_graph().get_operations():
        counts[op.type] = counts.get(op.type, 0) + 1
    kinds = ["Conv2D", "MaxPool", "FusedBatchNormV3", "Relu", "VariableV2", "Pad", "Mean", "Softmax", "Squeeze"]
    shape, shapes, variables, kept = described(net, ends, tf)
    size = getattr(network, "default_image_size", None), getattr(module, kind, network).default_image_size
    return shape, size, shapes[::7], variables[::15], kept, [counts.get(each, 0) for each in kinds]


@program(oracle="1.15", graph=False)
def images_of_another_size(tf):
    module = nets(tf, "vgg")
    return attempt(module.vgg_a, tf.placeholder(tf.float32, [1, 256, 256, 3]), spatial_squeeze=False)[0].shape
