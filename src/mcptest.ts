// Tests of MCP servers without an editor:
//   node mcptest.js [files or folders …] [--settings file] [--junit file] [--tap] [--update]
// Exit code 0: all passed; 1: some failed; 2: there is nothing to run, or the arguments are wrong.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'jsonc-parser';
import { messageOf } from './base/errors';
import { isObject } from './base/isObject';
import { readBounded } from './base/readBounded';
import { replaceFile } from './base/writeFiles';
import { readTestFile, readText, TEST_FILE, unreadable } from './features/authors/core/readTestFile';
import { countsOf, type FileReport, junitReport, plainReport, tapReport } from './features/authors/core/reports';
import { runTests } from './features/authors/core/runTests';
import { UNGUARDED } from './features/authors/core/testGuard';
import { testedServer } from './features/authors/core/testServer';
import { resolveDefinitions } from './host';
import { LaunchGate, NO_CHECK, type ServerDefinition } from './host/definition';

const USAGE = `usage: node mcptest.js [files or folders …] [--settings file] [--junit file] [--tap] [--update]

  Runs the tests in *.mcptest.json and *.mcptest.yaml files, by default those below the current folder.

  --settings file   a settings.json whose "mcpHost.servers" has the servers that test files name
  --junit file      writes a JUnit report
  --tap             prints TAP in place of text
  --update          writes snapshots of interfaces in place of comparing with them
`;
const MAX_FILES = 1_000;
const MAX_SETTINGS = 5 * 1024 * 1024;
const MAX_ENV_FILE_BYTES = 1024 * 1024;
const LEFT_OUT = new Set(['node_modules', '.git']);

/** As `target` of the build. */
const NODE = 22;

async function main(): Promise<number> {
  if (Number.parseInt(process.versions.node, 10) < NODE) {
    process.stderr.write(`mcptest needs Node ${NODE} or newer; this is ${process.versions.node}.\n`);
    return 2;
  }
  const { values, positionals } = parseArgs({
    options: {
      help: { type: 'boolean' },
      settings: { type: 'string' },
      junit: { type: 'string' },
      tap: { type: 'boolean' },
      update: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const paths = (positionals.length > 0 ? positionals : ['.']).flatMap(path => testFiles(path));
  if (paths.length === 0) {
    process.stderr.write('There is no *.mcptest.json or *.mcptest.yaml file here.\n');
    return 2;
  }
  const named = values.settings === undefined ? () => undefined : await serversOf(values.settings);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const reports: FileReport[] = [];
  for (const path of paths) {
    const shown = relative('.', path).replaceAll('\\', '/') || path;
    reports.push({ ...(await reportOn(path, named, stop.signal, values.update === true)), path: shown });
  }
  process.stdout.write(values.tap ? tapReport(reports) : plainReport(reports));
  if (values.junit !== undefined) await replaceFile(values.junit, junitReport(reports));
  const { failed, skipped } = countsOf(reports);
  return failed + skipped > 0 ? 1 : 0;
}

async function reportOn(
  path: string,
  named: (name: string) => ServerDefinition | undefined,
  signal: AbortSignal,
  updatesSnapshots: boolean,
): Promise<FileReport> {
  let text: string;
  try {
    text = await readText(path);
  } catch (error) {
    return { path, problems: [unreadable(error)] };
  }
  const { file, problems } = readTestFile(text, path);
  if (!file) return { path, problems };
  const tested = testedServer(path, file, named);
  if ('problems' in tested) return { path, problems: tested.problems };
  const storage = mkdtempSync(join(tmpdir(), 'mcptest-'));
  const { definition } = tested;
  const options = { ports: ports(storage), guard: UNGUARDED, path, signal, updatesSnapshots, definition };
  try {
    return { path, result: await runTests(file, options) };
  } finally {
    rmSync(storage, { recursive: true, force: true });
  }
}

/** The person who runs this program has typed what is to run: nothing is asked. @param storage of sandboxes */
const ports = (storage: string): Parameters<typeof runTests>[1]['ports'] => ({
  shellPath: async () => undefined,
  readFile: name => readBounded(name, MAX_ENV_FILE_BYTES),
  launch: new LaunchGate({ trust: NO_CHECK, consent: NO_CHECK, inputs: NO_CHECK, scripts: NO_CHECK, last: NO_CHECK }),
  sandbox: {
    // Only what an entry says of its sandbox counts.
    setting: () => 'off',
    inheritsAll: () => false,
    isWatched: () => false,
    granted: () => ({}),
    askHost: async () => false,
    watch: () => () => {},
    storage,
    bridge: join(__dirname, 'sandbox-bridge.js'),
  },
});

/** The test files that a path names: itself, or those in the folder and below it. */
function testFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [resolve(path)];
  const found: string[] = [];
  const open = [resolve(path)];
  for (let folder = open.pop(); folder !== undefined && found.length < MAX_FILES; folder = open.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      // Links are not followed: they may lead in a circle.
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) open.push(join(folder, entry.name));
      else if (entry.isFile() && TEST_FILE.test(entry.name)) found.push(join(folder, entry.name));
    }
  }
  return found.sort();
}

/** The servers of a settings file, by name. Its folder, or the one around `.vscode`, is the workspace folder. */
async function serversOf(settings: string): Promise<(name: string) => ServerDefinition | undefined> {
  const value: unknown = parse(await readBounded(settings, MAX_SETTINGS), [], { allowTrailingComma: true });
  const folder = dirname(resolve(settings)).replace(/[\\/]\.vscode$/, '');
  const { definitions } = resolveDefinitions([
    {
      source: { scope: 'workspace' },
      value: isObject(value) ? value['mcpHost.servers'] : undefined,
      inputs: isObject(value) ? value['mcpHost.inputs'] : undefined,
      variables: {
        workspaceFolder: folder,
        workspaceFolders: [],
        userHome: homedir(),
        env: name => process.env[name],
        config: key => (isObject(value) ? value[key] : undefined),
      },
    },
  ]);
  return name => definitions.find(definition => definition.name === name && definition.entry && !definition.inputs);
}

main().then(
  code => {
    process.exitCode = code;
  },
  error => {
    process.stderr.write(`${messageOf(error)}\n\n${USAGE}`);
    process.exitCode = 2;
  },
);
