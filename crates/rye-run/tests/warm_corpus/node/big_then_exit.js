process.stdout.write("z".repeat(1 << 20), () => process.exit(3));
