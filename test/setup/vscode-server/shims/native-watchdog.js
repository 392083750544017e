// Stands in for the native @vscode/native-watchdog; the extension host also watches its parent from JavaScript.
exports.start = () => {};
exports.exit = code => process.exit(code || 0);
