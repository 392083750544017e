// The editor tells by its folder which extension a file belongs to, and what is compiled is elsewhere: only what is
// registered for this extension has to come from here.
const { lm } = require('vscode');

exports.activate = context =>
  require('../../../out/test/bench/native/extension.js').activate(context, provider =>
    lm.registerMcpServerDefinitionProvider('bench', provider),
  );
