"""Advice on situations: an encoder and a decoder that are trained from nothing, in the form of T5."""
