const vscode = require('vscode');

/** The adapter is debugpy itself, in the program that waits. */
exports.activate = context => {
  const factory = {
    createDebugAdapterDescriptor: ({ configuration: { connect } }) =>
      new vscode.DebugAdapterServer(connect.port, connect.host),
  };
  context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('debugpy', factory));
};
