process.exitCode = 6;
