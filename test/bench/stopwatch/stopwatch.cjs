// Activates the extensions of STOPWATCH (ids, comma separated) one after the other and exports the milliseconds each
// took. VS Code fires onStartupFinished when the eager extensions are active, so none of them was activated before.
const vscode = require('vscode');

exports.activate = async () => {
  // Those that start with the window load files meanwhile; they are not to be part of what is measured.
  const eager = vscode.extensions.all.filter(({ packageJSON }) => packageJSON.activationEvents?.includes('*'));
  await Promise.all(eager.filter(({ id }) => id !== 'mcp-host-test.stopwatch').map(extension => extension.activate()));
  const times = {};
  for (const id of process.env.STOPWATCH.split(',')) {
    const extension = vscode.extensions.getExtension(id);
    if (extension.isActive) throw new Error(`${id} was active before it was measured`);
    await quiet();
    const started = performance.now();
    await extension.activate();
    times[id] = performance.now() - started;
  }
  return times;
};

/**
 * Waits until host and window have nothing else to do: ten quick ticks in a row, each with a round trip to the window,
 * which every activation needs too. At most 5 s.
 */
async function quiet() {
  const end = performance.now() + 5_000;
  for (let idle = 0; idle < 10 && performance.now() < end; ) {
    const started = performance.now();
    await new Promise(resolve => setTimeout(resolve, 5));
    await vscode.commands.executeCommand('setContext', 'stopwatch.tick', idle);
    idle = performance.now() - started < 15 ? idle + 1 : 0;
  }
}
