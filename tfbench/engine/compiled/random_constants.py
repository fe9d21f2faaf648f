"""The numbers in the arithmetic of random ops: what `kernels.philox`, `random_math` and `random_fill` have in common
with the machine code of `loops_random`.

They are here because a kernel's place in the disk cache depends on the sources of this package.
"""

from __future__ import annotations

_hex = float.fromhex

MASK32 = 0xFFFFFFFF

# -- Philox 4x32-10 ----------------------------------------------------------------------------------------------------

MULTIPLIER_0, MULTIPLIER_2 = 0xD2511F53, 0xCD9E8D57
WEYL_0, WEYL_1 = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10

# -- from words to numbers ---------------------------------------------------------------------------------------------

#: counters a number that a run reserves
RESERVED = 256
#: what uniform numbers below it become before their logarithm is taken
SMALLEST = 1.0e-7

# ln(x) = k ln2 + ln(c) + ln(z/c), with x = z 2**k and c the middle of one of 16 pieces of [0.699, 1.398)
LOG_START = 0x3F330000  # the bits of the lower end
_LOG_TABLE = """
    0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2  0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2
    0x1.49539f0f010bp+0  -0x1.01eae7f513a67p-2  0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3
    0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3  0x1.25e227b0b8eap+0  -0x1.1aa2bc79c81p-3
    0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4  0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4
    0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5  0x1p+0                0x0p+0
    0x1.e608cfd9a47acp-1  0x1.aa5aa5df25984p-5  0x1.ca4b31f026aap-1   0x1.c5e53aa362eb4p-4
    0x1.b2036576afce6p-1  0x1.526e57720db08p-3  0x1.9c2d163a1aa2dp-1  0x1.bc2860d22477p-3
    0x1.886e6037841edp-1  0x1.1058bc8a07ee1p-2  0x1.767dcf5534862p-1  0x1.4043057b6ee09p-2
"""
_numbers = [_hex(word) for word in _LOG_TABLE.split()]
#: 1/c and ln(c) of each piece
LOG_INVERSE, LOG_LOGARITHM = tuple(_numbers[0::2]), tuple(_numbers[1::2])
LN2 = _hex("0x1.62e42fefa39efp-1")
LOG2, LOG1, LOG0 = _hex("-0x1.00ea348b88334p-2"), _hex("0x1.5575b0be00b6ap-2"), _hex("-0x1.ffffef20a4123p-2")

TWO_OVER_PI_24 = _hex("0x1.45F306DC9C883p-1") * 2.0**24
HALF_PI = _hex("0x1.921FB54442D18p0")
COS1, COS2 = _hex("-0x1.ffffffd0c621cp-2"), _hex("0x1.55553e1068f19p-5")
COS3, COS4 = _hex("-0x1.6c087e89a359dp-10"), _hex("0x1.99343027bf8c3p-16")
SIN1, SIN2, SIN3 = _hex("-0x1.555545995a603p-3"), _hex("0x1.1107605230bc4p-7"), _hex("-0x1.994eb3774cf24p-13")
