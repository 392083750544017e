// npm run compat -- editors [1.103 …] [ui|check|editor|trust …]: the smoke part of the ui layer, the main job and the editor layer in
// each version of VS Code that editorVersions.ts has, or what is named of these; `trust` is the part of the editor layer about who
// decides. What each run leaves is in artifacts/compat/<version>/.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { type EditorVersion, editorVersion, editorVersions, minorOf, versionNames } from '../setup/editorVersions';
import { nodePackage } from '../setup/installServer';
import { counted, type LayerResult, layers, type RunOptions, runLayers } from '../setup/layers';
import { npmFlags } from '../setup/onDemand';
import { cache, inRepository, remove } from '../setup/paths';
import { run } from '../setup/processes';
import { productVsix } from '../setup/vsix';
import { runSteps, steps } from '../start/check';
import type { Outcome } from './part';

/** The files of the ui layer that hold for every editor, whatever its pages look like. */
const SMOKE = ['test/ui/smoke.night.test.ts', 'test/ui/oldNode.night.test.ts'];

/** The VS Code server of the oldest editor also starts with this one, which its desktop never brought. */
const OLD_NODE = '20.20.2';

/** Whose word counts rests on how an editor reads settings and trusts folders. */
const TRUST = ['approvals', 'consent', 'machineSettings', 'projectFile', 'secretOwners', 'settingValues'].map(
  name => `test/editor/${name}.test.ts`,
);

const RUNS = ['ui', 'check', 'editor'];
const PARTS = [...RUNS, 'trust'];

/** Our tests in the desktop VS Code of each version where there can be one, else in the server from npm. */
export async function editors(wanted: string[], signal: AbortSignal): Promise<Outcome> {
  const outcome: Outcome = { lines: [], passed: 0, failed: 0 };
  const parts = wanted.filter(name => PARTS.includes(name));
  const names = parts.length > 0 ? parts : RUNS;
  const given = wanted.filter(name => !PARTS.includes(name)).map(known);
  const versions = given.length > 0 ? given : editorVersions;
  process.env.TEST_VSIX ??= await productVsix();
  for (const editor of versions) {
    process.env.VSCODE_VERSION = editor.version;
    for (const [name, runPart] of runs(editor, signal)) {
      if (!names.includes(name)) continue;
      if (signal.aborted) return outcome;
      console.log(`\n=== VS Code ${editor.version}: ${name}`);
      const started = Date.now();
      const { passed, failed, lines } = counted(await runPart());
      outcome.passed += passed;
      outcome.failed += failed;
      const seconds = Math.round((Date.now() - started) / 1000);
      for (const line of [`${passed} passed, ${failed} failed (${seconds} s)`, ...lines])
        outcome.lines.push(`VS Code ${editor.version}: ${name}: ${line}`);
      keep(name, editor);
    }
  }
  return outcome;
}

function known(wanted: string): EditorVersion {
  const found = editorVersion(wanted);
  if (!found) throw new Error(`"${wanted}" is none of ${PARTS.join(', ')}, and no version of these: ${versionNames}`);
  return found;
}

/** In the order of cost. Installing is no part of any. */
function runs(editor: EditorVersion, signal: AbortSignal): [name: string, run: () => Promise<LayerResult>][] {
  const layer = async (name: string, options: Pick<RunOptions, 'env' | 'isWanted'> = {}) => {
    const wanted = layers.filter(each => each.name === name);
    const results = await runLayers(wanted, { ...options, signal, print: text => void fs.writeSync(1, text) });
    return results.get(name)!;
  };
  const all: [string, () => Promise<LayerResult>][] = [
    [
      'ui',
      async () =>
        layer('ui', { env: { TEST_OLD_NODE: await oldNode(editor) }, isWanted: source => SMOKE.includes(source) }),
    ],
    ['check', () => runSteps(steps)],
    ['editor', () => layer('editor')],
    ['trust', () => layer('editor', { isWanted: source => TRUST.includes(source) })],
  ];
  // The VS Code server, which the first two need, is not for Windows.
  return process.platform === 'win32' ? all.slice(2) : all;
}

/** The program, installed once; undefined for editors that do not start with it. */
async function oldNode(editor: EditorVersion): Promise<string | undefined> {
  if (editor !== editorVersions[0]) return undefined;
  const folder = path.join(cache, `node-${OLD_NODE}`);
  const program = path.join(folder, 'node_modules', nodePackage, 'bin/node');
  if (!fs.existsSync(program)) {
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', ...npmFlags, `${nodePackage}@${OLD_NODE}`], { cwd: folder, timeoutMs: 300_000 });
  }
  return program;
}

/** The next version's run would remove it. */
function keep(name: string, { version }: EditorVersion): void {
  const from = inRepository('artifacts', name);
  const to = inRepository('artifacts', 'compat', minorOf(version), name);
  if (!fs.existsSync(from)) return;
  remove(to);
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.renameSync(from, to);
}
