"""Networks without encryption, layer by layer on the client's core, with TensorFlow Lite's kernels.

A C++ program runs one layer in XNNPACK's kernels, or one of the client's plain operations of an
encrypted inference; Python around it builds it, lists the layers of a network and measures them.
"""
