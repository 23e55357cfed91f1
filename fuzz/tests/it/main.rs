//! Every target over its seeds, over what is made to hurt, and over mutations of both.

mod inputs;
mod support;
