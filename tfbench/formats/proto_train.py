"""What training saves: variables, meta graphs, checkpoints, examples. `protos` says how to read it."""

from __future__ import annotations

FILES = {
    "tensorflow/core/framework/variable.proto": """\
enum VariableSynchronization
  VARIABLE_SYNCHRONIZATION_AUTO = 0; VARIABLE_SYNCHRONIZATION_NONE = 1
  VARIABLE_SYNCHRONIZATION_ON_WRITE = 2; VARIABLE_SYNCHRONIZATION_ON_READ = 3
enum VariableAggregation
  VARIABLE_AGGREGATION_NONE = 0; VARIABLE_AGGREGATION_SUM = 1; VARIABLE_AGGREGATION_MEAN = 2
  VARIABLE_AGGREGATION_ONLY_FIRST_REPLICA = 3
message VariableDef
  variable_name: string = 1; initial_value_name: string = 6; initializer_name: string = 2
  snapshot_name: string = 3; save_slice_info_def: SaveSliceInfoDef = 4; is_resource: bool = 5
  trainable: bool = 7; synchronization: VariableSynchronization = 8; aggregation: VariableAggregation = 9
message SaveSliceInfoDef
  full_name: string = 1; full_shape: repeated int64 = 2; var_offset: repeated int64 = 3
  var_shape: repeated int64 = 4
""",
    "tensorflow/core/protobuf/saver.proto": """\
message SaverDef
  filename_tensor_name: string = 1; save_tensor_name: string = 2; restore_op_name: string = 3
  max_to_keep: int32 = 4; sharded: bool = 5; keep_checkpoint_every_n_hours: float = 6
  version: CheckpointFormatVersion = 7
  enum CheckpointFormatVersion
    LEGACY = 0; V1 = 1; V2 = 2
""",
    "tensorflow/core/protobuf/struct.proto": """\
message StructuredValue
  oneof kind
    none_value: NoneValue = 1; float64_value: double = 11; int64_value: sint64 = 12
    string_value: string = 13; bool_value: bool = 14; tensor_shape_value: TensorShapeProto = 31
    tensor_dtype_value: DataType = 32; tensor_spec_value: TensorSpecProto = 33
    type_spec_value: TypeSpecProto = 34; bounded_tensor_spec_value: BoundedTensorSpecProto = 35
    list_value: ListValue = 51; tuple_value: TupleValue = 52; dict_value: DictValue = 53
    named_tuple_value: NamedTupleValue = 54; tensor_value: TensorProto = 55; numpy_value: TensorProto = 56
message NoneValue
message ListValue
  values: repeated StructuredValue = 1
message TupleValue
  values: repeated StructuredValue = 1
message DictValue
  fields: map<string, StructuredValue> = 1
message PairValue
  key: string = 1; value: StructuredValue = 2
message NamedTupleValue
  name: string = 1; values: repeated PairValue = 2
message TensorSpecProto
  name: string = 1; shape: TensorShapeProto = 2; dtype: DataType = 3
message BoundedTensorSpecProto
  name: string = 1; shape: TensorShapeProto = 2; dtype: DataType = 3; minimum: TensorProto = 4
  maximum: TensorProto = 5
message TypeSpecProto
  type_spec_class: TypeSpecClass = 1; type_state: StructuredValue = 2; type_spec_class_name: string = 3
  num_flat_components: int32 = 4
  enum TypeSpecClass
    UNKNOWN = 0; SPARSE_TENSOR_SPEC = 1; INDEXED_SLICES_SPEC = 2; RAGGED_TENSOR_SPEC = 3
    TENSOR_ARRAY_SPEC = 4; DATA_DATASET_SPEC = 5; DATA_ITERATOR_SPEC = 6; OPTIONAL_SPEC = 7
    PER_REPLICA_SPEC = 8; VARIABLE_SPEC = 9; ROW_PARTITION_SPEC = 10; REGISTERED_TYPE_SPEC = 12
    EXTENSION_TYPE_SPEC = 13
""",
    "tensorflow/core/protobuf/meta_graph.proto": """\
message MetaGraphDef
  meta_info_def: MetaInfoDef = 1; graph_def: GraphDef = 2; saver_def: SaverDef = 3
  collection_def: map<string, CollectionDef> = 4; signature_def: map<string, SignatureDef> = 5
  asset_file_def: repeated AssetFileDef = 6
  message MetaInfoDef
    meta_graph_version: string = 1; stripped_op_list: OpList = 2; any_info: google.protobuf.Any = 3
    tags: repeated string = 4; tensorflow_version: string = 5; tensorflow_git_version: string = 6
    stripped_default_attrs: bool = 7; function_aliases: map<string, string> = 8
message CollectionDef
  oneof kind
    node_list: NodeList = 1; bytes_list: BytesList = 2; int64_list: Int64List = 3; float_list: FloatList = 4
    any_list: AnyList = 5
  message NodeList
    value: repeated string = 1
  message BytesList
    value: repeated bytes = 1
  message Int64List
    value: repeated int64 = 1
  message FloatList
    value: repeated float = 1
  message AnyList
    value: repeated google.protobuf.Any = 1
message TensorInfo
  oneof encoding
    name: string = 1; coo_sparse: CooSparse = 4; composite_tensor: CompositeTensor = 5
  dtype: DataType = 2; tensor_shape: TensorShapeProto = 3
  message CooSparse
    values_tensor_name: string = 1; indices_tensor_name: string = 2; dense_shape_tensor_name: string = 3
  message CompositeTensor
    type_spec: TypeSpecProto = 1; components: repeated TensorInfo = 2
message SignatureDef
  inputs: map<string, TensorInfo> = 1; outputs: map<string, TensorInfo> = 2; method_name: string = 3
  defaults: map<string, TensorProto> = 4
message AssetFileDef
  tensor_info: TensorInfo = 1; filename: string = 2
""",
    "tensorflow/core/protobuf/saved_model.proto": """\
message SavedModel
  saved_model_schema_version: int64 = 1; meta_graphs: repeated MetaGraphDef = 2
""",
    "tensorflow/core/protobuf/control_flow.proto": """\
message ValuesDef
  values: repeated string = 1; external_values: map<string, string> = 2
message ControlFlowContextDef
  oneof ctxt
    cond_ctxt: CondContextDef = 1; while_ctxt: WhileContextDef = 2
message CondContextDef
  context_name: string = 1; pred_name: string = 2; pivot_name: string = 3; branch: int32 = 4
  values_def: ValuesDef = 5; nested_contexts: repeated ControlFlowContextDef = 6
message WhileContextDef
  context_name: string = 1; parallel_iterations: int32 = 2; back_prop: bool = 3; swap_memory: bool = 4
  pivot_name: string = 5; pivot_for_pred_name: string = 6; pivot_for_body_name: string = 7
  loop_exit_names: repeated string = 8; loop_enter_names: repeated string = 10; values_def: ValuesDef = 9
  maximum_iterations_name: string = 11; nested_contexts: repeated ControlFlowContextDef = 12
""",
    "xla/tsl/protobuf/error_codes.proto": """\
package tensorflow.error
enum Code
  OK = 0; CANCELLED = 1; UNKNOWN = 2; INVALID_ARGUMENT = 3; DEADLINE_EXCEEDED = 4; NOT_FOUND = 5
  ALREADY_EXISTS = 6; PERMISSION_DENIED = 7; UNAUTHENTICATED = 16; RESOURCE_EXHAUSTED = 8
  FAILED_PRECONDITION = 9; ABORTED = 10; OUT_OF_RANGE = 11; UNIMPLEMENTED = 12; INTERNAL = 13
  UNAVAILABLE = 14; DATA_LOSS = 15
  DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_ = 20
""",
    "tensorflow/core/protobuf/queue_runner.proto": """\
message QueueRunnerDef
  queue_name: string = 1; enqueue_op_name: repeated string = 2; close_op_name: string = 3
  cancel_op_name: string = 4; queue_closed_exception_types: repeated error.Code = 5
""",
    "tensorflow/python/training/checkpoint_state.proto": """\
message CheckpointState
  model_checkpoint_path: string = 1; all_model_checkpoint_paths: repeated string = 2
  all_model_checkpoint_timestamps: repeated double = 3; last_preserved_timestamp: double = 4
""",
    "tensorflow/core/framework/tensor_slice.proto": """\
message TensorSliceProto
  extent: repeated Extent = 1
  message Extent
    start: int64 = 1
    oneof has_length_hack
      length: int64 = 2
""",
    "tensorflow/core/protobuf/tensor_bundle.proto": """\
message BundleHeaderProto
  num_shards: int32 = 1; endianness: Endianness = 2; version: VersionDef = 3
  enum Endianness
    LITTLE = 0; BIG = 1
message BundleEntryProto
  dtype: DataType = 1; shape: TensorShapeProto = 2; shard_id: int32 = 3; offset: int64 = 4; size: int64 = 5
  crc32c: fixed32 = 6; slices: repeated TensorSliceProto = 7
""",
    "tensorflow/core/util/saved_tensor_slice.proto": """\
message SavedSliceMeta
  name: string = 1; shape: TensorShapeProto = 2; type: DataType = 3; slice: repeated TensorSliceProto = 4
message SavedTensorSliceMeta
  tensor: repeated SavedSliceMeta = 1; versions: VersionDef = 2
message SavedSlice
  name: string = 1; slice: TensorSliceProto = 2; data: TensorProto = 3
message SavedTensorSlices
  meta: SavedTensorSliceMeta = 1; data: SavedSlice = 2
""",
    "tensorflow/contrib/tensorboard/plugins/projector/projector_config.proto": """\
message SpriteMetadata
  image_path: string = 1; single_image_dim: repeated uint32 = 2
message EmbeddingInfo
  tensor_name: string = 1; metadata_path: string = 2; bookmarks_path: string = 3
  tensor_shape: repeated uint32 = 4; sprite: SpriteMetadata = 5; tensor_path: string = 6
message ProjectorConfig
  model_checkpoint_path: string = 1; embeddings: repeated EmbeddingInfo = 2; model_checkpoint_dir: string = 3
""",
    "tensorflow/core/protobuf/trackable_object_graph.proto": """\
message TrackableObjectGraph
  nodes: repeated TrackableObject = 1
  message TrackableObject
    children: repeated ObjectReference = 1; attributes: repeated SerializedTensor = 2
    slot_variables: repeated SlotVariableReference = 3; registered_saver: RegisteredSaver = 4
    has_checkpoint_values: google.protobuf.BoolValue = 5
    message ObjectReference
      node_id: int32 = 1; local_name: string = 2
    message SerializedTensor
      name: string = 1; full_name: string = 2; checkpoint_key: string = 3
    message SlotVariableReference
      original_variable_node_id: int32 = 1; slot_name: string = 2; slot_variable_node_id: int32 = 3
message RegisteredSaver
  name: string = 1; object_name: string = 2
""",
    "tensorflow/core/example/feature.proto": """\
message BytesList
  value: repeated bytes = 1
message FloatList
  value: repeated float = 1
message Int64List
  value: repeated int64 = 1
message Feature
  oneof kind
    bytes_list: BytesList = 1; float_list: FloatList = 2; int64_list: Int64List = 3
message Features
  feature: map<string, Feature> = 1
message FeatureList
  feature: repeated Feature = 1
message FeatureLists
  feature_list: map<string, FeatureList> = 1
""",
    "tensorflow/core/example/example.proto": """\
message Example
  features: Features = 1
message SequenceExample
  context: Features = 1; feature_lists: FeatureLists = 2
""",
}
