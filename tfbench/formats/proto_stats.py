"""What a run leaves behind: step statistics, costs, summaries, events. `protos` says how to read it."""

from __future__ import annotations

FILES = {
    "tensorflow/core/framework/allocation_description.proto": """\
message AllocationDescription
  requested_bytes: int64 = 1; allocated_bytes: int64 = 2; allocator_name: string = 3
  allocation_id: int64 = 4; has_single_reference: bool = 5; ptr: uint64 = 6
""",
    "tensorflow/core/framework/tensor_description.proto": """\
message TensorDescription
  dtype: DataType = 1; shape: TensorShapeProto = 2; allocation_description: AllocationDescription = 4
""",
    "tensorflow/core/framework/step_stats.proto": """\
message AllocationRecord
  alloc_micros: int64 = 1; alloc_bytes: int64 = 2
message AllocatorMemoryUsed
  allocator_name: string = 1; total_bytes: int64 = 2; peak_bytes: int64 = 3; live_bytes: int64 = 4
  allocation_records: repeated AllocationRecord = 6; allocator_bytes_in_use: int64 = 5
message NodeOutput
  slot: int32 = 1; tensor_description: TensorDescription = 3
message MemoryStats
  temp_memory_size: int64 = 1; persistent_memory_size: int64 = 3
  persistent_tensor_alloc_ids: repeated int64 = 5; device_temp_memory_size: int64 = 2
  device_persistent_memory_size: int64 = 4; device_persistent_tensor_alloc_ids: repeated int64 = 6
message NodeExecStats
  node_name: string = 1; all_start_micros: int64 = 2; op_start_rel_micros: int64 = 3
  op_end_rel_micros: int64 = 4; all_end_rel_micros: int64 = 5; memory: repeated AllocatorMemoryUsed = 6
  output: repeated NodeOutput = 7; timeline_label: string = 8; scheduled_micros: int64 = 9
  thread_id: uint32 = 10; referenced_tensor: repeated AllocationDescription = 11
  memory_stats: MemoryStats = 12; all_start_nanos: int64 = 13; op_start_rel_nanos: int64 = 14
  op_end_rel_nanos: int64 = 15; all_end_rel_nanos: int64 = 16; scheduled_nanos: int64 = 17
message DeviceStepStats
  device: string = 1; node_stats: repeated NodeExecStats = 2; thread_names: map<uint32, string> = 3
message StepStats
  dev_stats: repeated DeviceStepStats = 1
""",
    "tensorflow/core/framework/cost_graph.proto": """\
message CostGraphDef
  node: repeated Node = 1; cost: repeated AggregatedCost = 2
  message Node
    name: string = 1; device: string = 2; id: int32 = 3; input_info: repeated InputInfo = 4
    output_info: repeated OutputInfo = 5; temporary_memory_size: int64 = 6
    persistent_memory_size: int64 = 12; host_temp_memory_size: int64 = 10
    device_temp_memory_size: int64 = 11; device_persistent_memory_size: int64 = 16; compute_cost: int64 = 9
    compute_time: int64 = 14; memory_time: int64 = 15; is_final: bool = 7; control_input: repeated int32 = 8
    inaccurate: bool = 17
    message InputInfo
      preceding_node: int32 = 1; preceding_port: int32 = 2
    message OutputInfo
      size: int64 = 1; alias_input_port: int64 = 2; shape: TensorShapeProto = 3; dtype: DataType = 4
  message AggregatedCost
    cost: float = 1; dimension: string = 2
""",
    "xla/tsl/protobuf/histogram.proto": """\
message HistogramProto
  min: double = 1; max: double = 2; num: double = 3; sum: double = 4; sum_squares: double = 5
  bucket_limit: repeated double = 6; bucket: repeated double = 7
""",
    "tensorflow/core/framework/summary.proto": """\
enum DataClass
  DATA_CLASS_UNKNOWN = 0; DATA_CLASS_SCALAR = 1; DATA_CLASS_TENSOR = 2; DATA_CLASS_BLOB_SEQUENCE = 3
message SummaryDescription
  type_hint: string = 1
message SummaryMetadata
  plugin_data: PluginData = 1; display_name: string = 2; summary_description: string = 3
  data_class: DataClass = 4
  message PluginData
    plugin_name: string = 1; content: bytes = 2
message Summary
  value: repeated Value = 1
  message Image
    height: int32 = 1; width: int32 = 2; colorspace: int32 = 3; encoded_image_string: bytes = 4
  message Audio
    sample_rate: float = 1; num_channels: int64 = 2; length_frames: int64 = 3
    encoded_audio_string: bytes = 4; content_type: string = 5
  message Value
    node_name: string = 7; tag: string = 1; metadata: SummaryMetadata = 9
    oneof value
      simple_value: float = 2; obsolete_old_style_histogram: bytes = 3; image: Image = 4
      histo: HistogramProto = 5; audio: Audio = 6; tensor: TensorProto = 8
""",
    "tensorflow/core/util/event.proto": """\
message Event
  wall_time: double = 1; step: int64 = 2
  oneof what
    file_version: string = 3; graph_def: bytes = 4; summary: Summary = 5; log_message: LogMessage = 6
    session_log: SessionLog = 7; tagged_run_metadata: TaggedRunMetadata = 8; meta_graph_def: bytes = 9
  source_metadata: SourceMetadata = 10
message SourceMetadata
  writer: string = 1
message LogMessage
  level: Level = 1; message: string = 2
  enum Level
    UNKNOWN = 0; DEBUGGING = 10; INFO = 20; WARN = 30; ERROR = 40; FATAL = 50
message SessionLog
  status: SessionStatus = 1; checkpoint_path: string = 2; msg: string = 3
  enum SessionStatus
    STATUS_UNSPECIFIED = 0; START = 1; STOP = 2; CHECKPOINT = 3
message TaggedRunMetadata
  tag: string = 1; run_metadata: bytes = 2
""",
}
