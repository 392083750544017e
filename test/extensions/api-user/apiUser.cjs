// Calls the API in the name of this extension, as code of it would, and in ways that do not tell whose code calls.
const vscode = require('vscode');

const { getApi } = vscode.extensions.getExtension('mcp-host.mcp-host').exports;

exports.activate = () => ({
  direct: (...given) => getApi(...given),
  afterAwait: async (...given) => {
    await Promise.resolve();
    return await getApi(...given);
  },
  // What has a stack of its own ends in no file of an extension.
  fromNowhere: (...given) => Promise.resolve(given).then(getApi.bind(undefined, ...given)),
  evaluated: (...given) => new Function('getApi', 'given', 'return getApi(...given)')(getApi, given),
});
