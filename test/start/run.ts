// npm start: VS Code with the extension and the sample workspace. A desktop one where there is one or one can be
// downloaded; else the browser-based one on this machine's loopback address. Runs until it is closed, or Ctrl+C.
//   --check     headless: drives the browser-based one through the steps of check.ts
//   --prepare   only writes the sample workspace, for the debugger
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { demoModelExtension } from '../drivers/workbench';
import { onPath } from '../setup/chromium';
import { canShowWindows, chooseHost, desktopExecutable } from '../setup/host';
import { counted } from '../setup/layers';
import { cache, inRepository, remove } from '../setup/paths';
import { endWithStarter, spawnGroup, stopGroup } from '../setup/processes';
import { startServer } from '../setup/server';
import { userSettings } from '../setup/settings';
import { productVsix } from '../setup/vsix';
import { sampleWorkspace } from '../setup/workspaces';
import { runSteps, steps } from './check';

const interrupted = Promise.race(
  ['SIGINT', 'SIGTERM', 'SIGHUP'].map(signal => new Promise<void>(resolve => process.on(signal, () => resolve()))),
);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, prepare: { type: 'boolean' } } });
  if (values.check) {
    process.exitCode = counted(await runSteps(steps)).failed > 0 ? 1 : 0;
    return;
  }
  const sample = freshSample();
  if (values.prepare) return console.log(`The sample workspace is ready: ${sample}`);
  const wanted = process.env.VSCODE_TEST_HOST ?? 'auto';
  const given = process.env.VSCODE_EXECUTABLE ?? onPath('code', 'code-insiders', 'code-oss', 'codium');
  if (wanted === 'auto' && given && canShowWindows()) return openDesktop(given, sample);
  if ((await chooseHost()) === 'desktop') return openDesktop(await desktopExecutable(), sample);
  return serve(sample);
}

/** The sample of the last start is replaced: each start shows the same. */
function freshSample(): string {
  const folder = path.join(cache, 'sample');
  remove(folder);
  return sampleWorkspace(folder);
}

/** A window of its own profile, so that nothing of the person's VS Code is touched. */
async function openDesktop(executable: string, sample: string): Promise<void> {
  const profile = path.join(cache, 'profile');
  fs.mkdirSync(path.join(profile, 'User'), { recursive: true });
  const settings = path.join(profile, 'User', 'settings.json');
  if (!fs.existsSync(settings)) fs.writeFileSync(settings, JSON.stringify(userSettings(), null, 2));
  console.log(`Opening ${executable} with the sample workspace ${sample}`);
  const args = [
    ...['--new-window', '--wait', sample, `--user-data-dir=${profile}`],
    ...[`--extensions-dir=${path.join(cache, 'extensions')}`, '--skip-welcome', '--disable-workspace-trust'],
    ...[inRepository(), demoModelExtension].map(folder => `--extensionDevelopmentPath=${folder}`),
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ];
  const shell = executable.endsWith('.cmd');
  const child = spawnGroup(shell ? `"${executable}"` : executable, args, { stdio: 'inherit', shell });
  await Promise.race([once(child, 'exit'), interrupted]);
  await stopGroup(child);
}

async function serve(sample: string): Promise<void> {
  const server = await startServer({
    vsix: [await productVsix()],
    unpacked: [demoModelExtension],
    complete: true,
    port: process.env.PORT ? Number(process.env.PORT) : undefined,
  });
  console.log(`\nVS Code with MCP Host:  http://${server.authority}/?folder=${encodeURIComponent(sample)}`);
  console.log('Open the address in a browser. Ctrl+C ends it.');
  const stopped = await Promise.race([interrupted.then(() => true), server.ended.then(() => false)]);
  await server.stop();
  if (!stopped) throw new Error('The VS Code server ended by itself.');
}

endWithStarter();
main().then(
  () => process.exit(),
  error => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
