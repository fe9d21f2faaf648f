"""How a session or a server is set up: devices, options, clusters. `protos` says how to read it."""

from __future__ import annotations

FILES = {
    "tensorflow/core/framework/device_attributes.proto": """\
message InterconnectLink
  device_id: int32 = 1; type: string = 2; strength: int32 = 3
message LocalLinks
  link: repeated InterconnectLink = 1
message DeviceLocality
  bus_id: int32 = 1; numa_node: int32 = 2; links: LocalLinks = 3
message DeviceAttributes
  name: string = 1; device_type: string = 2; memory_limit: int64 = 4; locality: DeviceLocality = 5
  incarnation: fixed64 = 6; physical_device_desc: string = 7; xla_global_id: int64 = 8
""",
    "tensorflow/core/protobuf/cluster.proto": """\
message JobDef
  name: string = 1; tasks: map<int32, string> = 2
message ClusterDef
  job: repeated JobDef = 1
""",
    "tensorflow/core/protobuf/debug.proto": """\
message DebugTensorWatch
  node_name: string = 1; output_slot: int32 = 2; debug_ops: repeated string = 3
  debug_urls: repeated string = 4; tolerate_debug_op_creation_failures: bool = 5
message DebugOptions
  debug_tensor_watch_opts: repeated DebugTensorWatch = 4; global_step: int64 = 10
  reset_disk_byte_usage: bool = 11
""",
    "tensorflow/core/protobuf/verifier_config.proto": """\
message VerifierConfig
  verification_timeout_in_ms: int64 = 1; structure_verifier: Toggle = 2
  enum Toggle
    DEFAULT = 0; ON = 1; OFF = 2
""",
    "tensorflow/core/protobuf/rewriter_config.proto": """\
message AutoParallelOptions
  enable: bool = 1; num_replicas: int32 = 2
message ScopedAllocatorOptions
  enable_op: repeated string = 1
message RewriterConfig
  cpu_layout_conversion: CpuLayout = 50; layout_optimizer: Toggle = 1; constant_folding: Toggle = 3
  shape_optimization: Toggle = 13; remapping: Toggle = 14; common_subgraph_elimination: Toggle = 24
  arithmetic_optimization: Toggle = 7; dependency_optimization: Toggle = 8; loop_optimization: Toggle = 9
  function_optimization: Toggle = 10; debug_stripper: Toggle = 11; disable_model_pruning: bool = 2
  scoped_allocator_optimization: Toggle = 15; pin_to_host_optimization: Toggle = 18
  implementation_selector: Toggle = 22; auto_mixed_precision: Toggle = 23
  auto_mixed_precision_mkl: Toggle = 25; auto_mixed_precision_onednn_bfloat16: Toggle = 31
  auto_mixed_precision_cpu: Toggle = 29; disable_meta_optimizer: bool = 19; disable_tfg_optimizer: bool = 32
  use_plugin_optimizers: Toggle = 28; experimental_conditional_code_motion: Toggle = 30
  meta_optimizer_iterations: NumIterationsType = 12; min_graph_nodes: int32 = 17
  experimental_disable_compressed_tensor_optimization: bool = 26
  experimental_disable_folding_quantization_emulation: bool = 27; memory_optimization: MemOptType = 4
  memory_optimizer_target_node_name_scope: string = 6; meta_optimizer_timeout_ms: int64 = 20
  auto_parallel: AutoParallelOptions = 5; fail_on_optimizer_errors: bool = 21
  scoped_allocator_opts: ScopedAllocatorOptions = 16; optimizers: repeated string = 100
  custom_optimizers: repeated CustomGraphOptimizer = 200
  inter_optimizer_verifier_config: VerifierConfig = 300
  post_optimization_verifier_config: VerifierConfig = 301
  message CustomGraphOptimizer
    name: string = 1; parameter_map: map<string, AttrValue> = 2
  enum Toggle
    DEFAULT = 0; ON = 1; OFF = 2; AGGRESSIVE = 3; EXPERIMENTAL_MLIR = 4; EXPERIMENTAL_BOTH = 5
  enum CpuLayout
    NO_CONVERSION_ON_CPU = 0; NCHW_TO_NHWC = 1; NHWC_TO_NCHW = 2
  enum NumIterationsType
    DEFAULT_NUM_ITERS = 0; ONE = 1; TWO = 2
  enum MemOptType
    DEFAULT_MEM_OPT = 0; NO_MEM_OPT = 1; MANUAL = 2; SWAPPING_HEURISTICS = 4; RECOMPUTATION_HEURISTICS = 5
    SCHEDULING_HEURISTICS = 6; HEURISTICS = 3
""",
    "xla/tsl/protobuf/coordination_config.proto": """\
message CoordinatedJob
  name: string = 1; num_tasks: int32 = 2
message CoordinationServiceConfig
  service_type: string = 1; service_leader: string = 2; enable_health_check: bool = 3
  cluster_register_timeout_in_ms: int64 = 4; cluster_register_with_barrier: bool = 14
  heartbeat_timeout_in_ms: int64 = 5; coordinated_job_list: repeated CoordinatedJob = 10
  shutdown_barrier_timeout_in_ms: int64 = 7; agent_destruction_without_shutdown: bool = 8
  recoverable_jobs: repeated string = 9; allow_new_incarnation_to_reconnect: bool = 11
  force_disable: bool = 12; poll_for_error_from_service_at_startup: bool = 13
""",
    "xla/tsl/protobuf/rpc_options.proto": """\
message RPCOptions
  use_rpc_for_inprocess_master: bool = 1; compression_algorithm: string = 2; compression_level: int32 = 3
  cache_rpc_response: bool = 4; disable_session_connection_sharing: bool = 5
  num_channels_per_target: int32 = 6
""",
    "tensorflow/core/protobuf/config.proto": """\
message GPUOptions
  per_process_gpu_memory_fraction: double = 1; allow_growth: bool = 4; allocator_type: string = 2
  deferred_deletion_bytes: int64 = 3; visible_device_list: string = 5; polling_active_delay_usecs: int32 = 6
  polling_inactive_delay_msecs: int32 = 7; force_gpu_compatible: bool = 8; experimental: Experimental = 9
  message Experimental
    virtual_devices: repeated VirtualDevices = 1; num_virtual_devices_per_gpu: int32 = 15
    use_unified_memory: bool = 2; num_dev_to_dev_copy_streams: int32 = 3; collective_ring_order: string = 4
    timestamped_allocator: bool = 5; kernel_tracker_max_interval: int32 = 7
    kernel_tracker_max_bytes: int32 = 8; kernel_tracker_max_pending: int32 = 9
    internal_fragmentation_fraction: double = 10; use_cuda_malloc_async: bool = 11
    disallow_retry_on_allocation_failure: bool = 12; gpu_host_mem_limit_in_mb: float = 13
    gpu_host_mem_disallow_growth: bool = 14; gpu_system_memory_size_in_mb: int32 = 16
    populate_pjrt_gpu_client_creation_info: bool = 17; node_id: int32 = 18
    stream_merge_options: StreamMergeOptions = 19
    message VirtualDevices
      memory_limit_mb: repeated float = 1; priority: repeated int32 = 2; device_ordinal: repeated int32 = 3
    message StreamMergeOptions
      merge_host_to_device_stream: bool = 1; merge_device_to_host_stream: bool = 2
      merge_device_to_device_stream: bool = 3
message OptimizerOptions
  do_common_subexpression_elimination: bool = 1; do_constant_folding: bool = 2
  max_folded_constant_in_bytes: int64 = 6; do_function_inlining: bool = 4; opt_level: Level = 3
  global_jit_level: GlobalJitLevel = 5; cpu_global_jit: bool = 7
  enum Level
    L1 = 0; L0 = -1
  enum GlobalJitLevel
    DEFAULT = 0; OFF = -1; ON_1 = 1; ON_2 = 2
message GraphOptions
  enable_recv_scheduling: bool = 2; optimizer_options: OptimizerOptions = 3; build_cost_model: int64 = 4
  build_cost_model_after: int64 = 9; infer_shapes: bool = 5; place_pruned_graph: bool = 6
  enable_bfloat16_sendrecv: bool = 7; timeline_step: int32 = 8; rewrite_options: RewriterConfig = 10
message ThreadPoolOptionProto
  num_threads: int32 = 1; global_name: string = 2
message SessionMetadata
  name: string = 1; version: int64 = 2
message ConfigProto
  device_count: map<string, int32> = 1; intra_op_parallelism_threads: int32 = 2
  inter_op_parallelism_threads: int32 = 5; use_per_session_threads: bool = 9
  session_inter_op_thread_pool: repeated ThreadPoolOptionProto = 12; placement_period: int32 = 3
  device_filters: repeated string = 4; gpu_options: GPUOptions = 6
  pluggable_device_options: GPUOptions = 18; allow_soft_placement: bool = 7; log_device_placement: bool = 8
  graph_options: GraphOptions = 10; operation_timeout_in_ms: int64 = 11; rpc_options: RPCOptions = 13
  cluster_def: ClusterDef = 14; isolate_session_state: bool = 15
  share_cluster_devices_in_session: bool = 17; experimental: Experimental = 16
  message Experimental
    collective_group_leader: string = 1; executor_type: string = 3; recv_buf_max_chunk: int32 = 4
    use_numa_affinity: bool = 5; collective_deterministic_sequential_execution: bool = 6
    collective_nccl: bool = 7; share_session_state_in_clusterspec_propagation: bool = 8
    disable_thread_spinning: bool = 9; share_cluster_devices_in_session: bool = 10
    session_metadata: SessionMetadata = 11; optimize_for_static_graph: bool = 12
    enable_mlir_bridge: bool = 13; mlir_bridge_rollout: MlirBridgeRollout = 17
    enable_mlir_graph_optimization: bool = 16; disable_output_partition_graphs: bool = 14
    xla_fusion_autotuner_thresh: int64 = 15; use_tfrt: bool = 18; enable_multi_host: bool = 27
    tfrt_use_ifrt: bool = 32; backend_server_port: int32 = 28; target_tpu: bool = 29; target_gpu: bool = 30
    stream_merge_threshold: int32 = 31; disable_functional_ops_lowering: bool = 21
    xla_prefer_single_graph_cluster: bool = 22; coordination_config: CoordinationServiceConfig = 23
    disable_optimize_for_static_graph: bool = 24; disable_eager_executor_streaming_enqueue: bool = 26
    finalize_function_library_runtime: bool = 33; finalize_resource_manager: bool = 34
    tf2xla_dump_dir: string = 35; online_cost_analysis: bool = 36
    enum MlirBridgeRollout
      MLIR_BRIDGE_ROLLOUT_UNSPECIFIED = 0; MLIR_BRIDGE_ROLLOUT_ENABLED = 1; MLIR_BRIDGE_ROLLOUT_DISABLED = 2
message RunOptions
  trace_level: TraceLevel = 1; timeout_in_ms: int64 = 2; inter_op_thread_pool: int32 = 3
  output_partition_graphs: bool = 5; debug_options: DebugOptions = 6
  report_tensor_allocations_upon_oom: bool = 7; experimental: Experimental = 8
  message Experimental
    collective_graph_key: int64 = 1; use_run_handler_pool: bool = 2
    run_handler_pool_options: RunHandlerPoolOptions = 3
    message RunHandlerPoolOptions
      priority: int64 = 1
  enum TraceLevel
    NO_TRACE = 0; SOFTWARE_TRACE = 1; HARDWARE_TRACE = 2; FULL_TRACE = 3
message RunMetadata
  step_stats: StepStats = 1; cost_graph: CostGraphDef = 2; partition_graphs: repeated GraphDef = 3
  function_graphs: repeated FunctionGraphs = 4; session_metadata: SessionMetadata = 5
  message FunctionGraphs
    partition_graphs: repeated GraphDef = 1; pre_optimization_graph: GraphDef = 2
    post_optimization_graph: GraphDef = 3
message TensorConnection
  from_tensor: string = 1; to_tensor: string = 2
message CallableOptions
  feed: repeated string = 1; fetch: repeated string = 2; target: repeated string = 3
  run_options: RunOptions = 4; tensor_connection: repeated TensorConnection = 5
  feed_devices: map<string, string> = 6; fetch_devices: map<string, string> = 7; fetch_skip_sync: bool = 8
""",
    "tensorflow/core/protobuf/device_filters.proto": """\
message TaskDeviceFilters
  device_filters: repeated string = 1
message JobDeviceFilters
  name: string = 1; tasks: map<int32, TaskDeviceFilters> = 2
message ClusterDeviceFilters
  jobs: repeated JobDeviceFilters = 1
""",
    "tensorflow/core/protobuf/tensorflow_server.proto": """\
message ServerDef
  cluster: ClusterDef = 1; job_name: string = 2; replica: int32 = 8; task_index: int32 = 3
  default_session_config: ConfigProto = 4; protocol: string = 5; port: int32 = 6
  cluster_device_filters: ClusterDeviceFilters = 7
""",
}
