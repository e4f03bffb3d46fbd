//! A virtual world around the engine.
