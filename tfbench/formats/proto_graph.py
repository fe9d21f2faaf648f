"""What a graph is made of: types, tensors, nodes, op definitions, functions. `protos` says how to read it."""

from __future__ import annotations

FILES = {
    "tensorflow/core/framework/types.proto": """\
enum DataType
  DT_INVALID = 0; DT_FLOAT = 1; DT_DOUBLE = 2; DT_INT32 = 3; DT_UINT8 = 4; DT_INT16 = 5; DT_INT8 = 6
  DT_STRING = 7; DT_COMPLEX64 = 8; DT_INT64 = 9; DT_BOOL = 10; DT_QINT8 = 11; DT_QUINT8 = 12; DT_QINT32 = 13
  DT_BFLOAT16 = 14; DT_QINT16 = 15; DT_QUINT16 = 16; DT_UINT16 = 17; DT_COMPLEX128 = 18; DT_HALF = 19
  DT_RESOURCE = 20; DT_VARIANT = 21; DT_UINT32 = 22; DT_UINT64 = 23; DT_FLOAT8_E5M2 = 24
  DT_FLOAT8_E4M3FN = 25; DT_FLOAT8_E4M3FNUZ = 26; DT_FLOAT8_E4M3B11FNUZ = 27; DT_FLOAT8_E5M2FNUZ = 28
  DT_INT4 = 29; DT_UINT4 = 30; DT_INT2 = 31; DT_UINT2 = 32; DT_FLOAT4_E2M1FN = 33; DT_FLOAT_REF = 101
  DT_DOUBLE_REF = 102; DT_INT32_REF = 103; DT_UINT8_REF = 104; DT_INT16_REF = 105; DT_INT8_REF = 106
  DT_STRING_REF = 107; DT_COMPLEX64_REF = 108; DT_INT64_REF = 109; DT_BOOL_REF = 110; DT_QINT8_REF = 111
  DT_QUINT8_REF = 112; DT_QINT32_REF = 113; DT_BFLOAT16_REF = 114; DT_QINT16_REF = 115; DT_QUINT16_REF = 116
  DT_UINT16_REF = 117; DT_COMPLEX128_REF = 118; DT_HALF_REF = 119; DT_RESOURCE_REF = 120
  DT_VARIANT_REF = 121; DT_UINT32_REF = 122; DT_UINT64_REF = 123; DT_FLOAT8_E5M2_REF = 124
  DT_FLOAT8_E4M3FN_REF = 125; DT_FLOAT8_E4M3FNUZ_REF = 126; DT_FLOAT8_E4M3B11FNUZ_REF = 127
  DT_FLOAT8_E5M2FNUZ_REF = 128; DT_INT4_REF = 129; DT_UINT4_REF = 130; DT_INT2_REF = 131; DT_UINT2_REF = 132
  DT_FLOAT4_E2M1FN_REF = 133
""",
    "tensorflow/core/framework/tensor_shape.proto": """\
message TensorShapeProto
  dim: repeated Dim = 2; unknown_rank: bool = 3
  message Dim
    size: int64 = 1; name: string = 2
""",
    "tensorflow/core/framework/resource_handle.proto": """\
message ResourceHandleProto
  device: string = 1; container: string = 2; name: string = 3; hash_code: uint64 = 4
  maybe_type_name: string = 5; dtypes_and_shapes: repeated DtypeAndShape = 6
  message DtypeAndShape
    dtype: DataType = 1; shape: TensorShapeProto = 2
""",
    "tensorflow/core/framework/tensor.proto": """\
message TensorProto
  dtype: DataType = 1; tensor_shape: TensorShapeProto = 2; version_number: int32 = 3
  tensor_content: bytes = 4; half_val: repeated int32 = 13; float_val: repeated float = 5
  double_val: repeated double = 6; int_val: repeated int32 = 7; string_val: repeated bytes = 8
  scomplex_val: repeated float = 9; int64_val: repeated int64 = 10; bool_val: repeated bool = 11
  dcomplex_val: repeated double = 12; resource_handle_val: repeated ResourceHandleProto = 14
  variant_val: repeated VariantTensorDataProto = 15; uint32_val: repeated uint32 = 16
  uint64_val: repeated uint64 = 17; float8_val: bytes = 18
message VariantTensorDataProto
  type_name: string = 1; metadata: bytes = 2; tensors: repeated TensorProto = 3
""",
    "tensorflow/core/framework/attr_value.proto": """\
message AttrValue
  oneof value
    s: bytes = 2; i: int64 = 3; f: float = 4; b: bool = 5; type: DataType = 6; shape: TensorShapeProto = 7
    tensor: TensorProto = 8; list: ListValue = 1; func: NameAttrList = 10; placeholder: string = 9
  message ListValue
    s: repeated bytes = 2; i: repeated int64 = 3; f: repeated float = 4; b: repeated bool = 5
    type: repeated DataType = 6; shape: repeated TensorShapeProto = 7; tensor: repeated TensorProto = 8
    func: repeated NameAttrList = 9
message NameAttrList
  name: string = 1; attr: map<string, AttrValue> = 2
""",
    "tensorflow/core/framework/full_type.proto": """\
enum FullTypeId
  TFT_UNSET = 0; TFT_VAR = 1; TFT_ANY = 2; TFT_PRODUCT = 3; TFT_NAMED = 4; TFT_FOR_EACH = 20
  TFT_CALLABLE = 100; TFT_TENSOR = 1000; TFT_ARRAY = 1001; TFT_OPTIONAL = 1002; TFT_LITERAL = 1003
  TFT_ENCODED = 1004; TFT_SHAPE_TENSOR = 1005; TFT_BOOL = 200; TFT_UINT8 = 201; TFT_UINT16 = 202
  TFT_UINT32 = 203; TFT_UINT64 = 204; TFT_INT8 = 205; TFT_INT16 = 206; TFT_INT32 = 207; TFT_INT64 = 208
  TFT_HALF = 209; TFT_FLOAT = 210; TFT_DOUBLE = 211; TFT_BFLOAT16 = 215; TFT_COMPLEX64 = 212
  TFT_COMPLEX128 = 213; TFT_STRING = 214; TFT_DATASET = 10102; TFT_RAGGED = 10103; TFT_ITERATOR = 10104
  TFT_MUTEX_LOCK = 10202; TFT_LEGACY_VARIANT = 10203
message FullTypeDef
  type_id: FullTypeId = 1; args: repeated FullTypeDef = 2
  oneof attr
    s: string = 3; i: int64 = 4
""",
    "tensorflow/core/framework/node_def.proto": """\
message NodeDef
  name: string = 1; op: string = 2; input: repeated string = 3; device: string = 4
  attr: map<string, AttrValue> = 5; experimental_debug_info: ExperimentalDebugInfo = 6
  experimental_type: FullTypeDef = 7
  message ExperimentalDebugInfo
    original_node_names: repeated string = 1; original_func_names: repeated string = 2
""",
    "tensorflow/core/framework/op_def.proto": """\
message OpDef
  name: string = 1; input_arg: repeated ArgDef = 2; output_arg: repeated ArgDef = 3
  control_output: repeated string = 20; attr: repeated AttrDef = 4; deprecation: OpDeprecation = 8
  summary: string = 5; description: string = 6; is_commutative: bool = 18; is_aggregate: bool = 16
  is_stateful: bool = 17; allows_uninitialized_input: bool = 19; is_distributed_communication: bool = 21
  message ArgDef
    name: string = 1; description: string = 2; type: DataType = 3; type_attr: string = 4
    number_attr: string = 5; type_list_attr: string = 6
    handle_data: repeated ResourceHandleProto.DtypeAndShape = 7; is_ref: bool = 16
    experimental_full_type: FullTypeDef = 17
  message AttrDef
    name: string = 1; type: string = 2; default_value: AttrValue = 3; description: string = 4
    has_minimum: bool = 5; minimum: int64 = 6; allowed_values: AttrValue = 7
message OpDeprecation
  version: int32 = 1; explanation: string = 2
message OpList
  op: repeated OpDef = 1
""",
    "tensorflow/core/framework/versions.proto": """\
message VersionDef
  producer: int32 = 1; min_consumer: int32 = 2; bad_consumers: repeated int32 = 3
""",
    "tensorflow/core/framework/function.proto": """\
message FunctionDefLibrary
  function: repeated FunctionDef = 1; gradient: repeated GradientDef = 2
  registered_gradients: repeated RegisteredGradient = 3
message FunctionDef
  signature: OpDef = 1; attr: map<string, AttrValue> = 5; arg_attr: map<uint32, ArgAttrs> = 7
  resource_arg_unique_id: map<uint32, uint32> = 8; node_def: repeated NodeDef = 3
  ret: map<string, string> = 4; control_ret: map<string, string> = 6
  message ArgAttrs
    attr: map<string, AttrValue> = 1
message GradientDef
  function_name: string = 1; gradient_func: string = 2
message RegisteredGradient
  gradient_func: string = 1; registered_op_type: string = 2
""",
    "tensorflow/core/framework/graph.proto": """\
message GraphDef
  node: repeated NodeDef = 1; versions: VersionDef = 4; version: int32 = 3; library: FunctionDefLibrary = 2
""",
}
