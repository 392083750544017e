// Loaded with NODE_OPTIONS: Node says that it is an older one.
Object.defineProperty(process.versions, 'node', { value: '20.20.2', enumerable: true });
