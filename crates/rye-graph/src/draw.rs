//! Drawings of graphs.
