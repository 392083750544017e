// Runs in the extension host of the ui tests: evaluates what the test process sends over a private socket, one JSON
// message per line: {id, code, args} → {id, value} or {id, error}.
const fs = require('node:fs');
const net = require('node:net');
const readline = require('node:readline');
const vm = require('node:vm');
const vscode = require('vscode');

exports.activate = context => {
  // Node says that it is another version, to extensions that start later.
  const { TEST_NODE_VERSION: version } = process.env;
  if (version) Object.defineProperty(process.versions, 'node', { value: version });
  const address = process.env.TEST_BRIDGE_SOCKET;
  if (!address) return;
  const server = net.createServer(socket => {
    socket.on('error', () => {});
    readline.createInterface({ input: socket }).on('line', async line => {
      const { id, code, args } = JSON.parse(line);
      const answer = await evaluate(code, args).then(
        value => ({ id, value: value ?? null }),
        error => ({ id, error: String(error?.stack ?? error) }),
      );
      socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
  // Under a name of its own first: the extension host before a reload removes what it listened on, however late it ends.
  const own = `${address}-${process.pid}`;
  server.listen(own, () => fs.renameSync(own, address));
  context.subscriptions.push({ dispose: () => server.close() });
};

/** The function's source sees the global scope, not this module's. */
const evaluate = async (code, args) => vm.runInThisContext(`(${code})`)(vscode, ...args);
