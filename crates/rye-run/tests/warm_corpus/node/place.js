console.log(process.cwd(), process.argv, process.argv0, process.execArgv, process.execPath, process.title);
console.log(__filename, __dirname, require.main === module, module.id, module.parent, module.children, module.paths.length);
console.log(Object.keys(require.cache), process.mainModule === module, process.exitCode);
