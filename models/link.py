"""The radio link between client and server: time and energy of a transfer.

As in CHOCO, Section 5.7 (DOI 10.1145/3503222.3507737): a fixed bit rate, and a fixed power while
transferring; protocol overhead and latency are not modelled.
"""

from models.config.platform import Radio


def transfer_time_s(size_bytes: float, radio: Radio) -> float:
    """Return the seconds that ``size_bytes`` take in either direction."""
    return 8 * size_bytes / radio.bit_rate_bps


def transfer_energy_j(size_bytes: float, radio: Radio) -> float:
    """Return the joules that the client's radio spends on ``size_bytes``."""
    return transfer_time_s(size_bytes, radio) * radio.power_w
