import sys
for name in ("stdin", "stdout", "stderr"):
    stream = getattr(sys, name)
    print(name, stream, stream is getattr(sys, f"__{name}__"), stream.name, stream.mode, stream.encoding, stream.errors,
          stream.newlines, stream.line_buffering, stream.write_through, type(stream.buffer).__name__, stream.fileno(),
          stream.isatty(), stream.buffer.name if hasattr(stream.buffer, "name") else None, stream.closed)
