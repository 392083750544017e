// The official suite, `@modelcontextprotocol/conformance`: what is in it, and one run of one scenario.
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { inRepository, remove, temporaryFolder } from '../setup/paths';
import { atExit, killGroup, spawnGroup } from '../setup/processes';
import { shippedFiles } from '../setup/vsix';

const tool = inRepository('node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** The suite gives a client 30 s; its own start and end come on top. */
const timeoutMs = 60_000;

export const GATEWAY = 'gateway/';

export interface Scenario {
  name: string;
  /** Protocol versions it exists for, or `extension` alone. */
  versions: string[];
}

export interface Outcome {
  status: 'passed' | 'failed' | 'untested';
  /** Why it is not `passed`: the suite's messages, and what the client wrote. */
  details: string[];
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** All client scenarios, in the suite's order. */
export async function scenarios(): Promise<Scenario[]> {
  const { output } = await runTool(['list', '--client']);
  const found = [...output.matchAll(/^ +- (\S+) \[([^\]]+)\]$/gm)];
  if (found.length === 0) throw new Error(`the conformance tool listed no client scenarios:\n${output}`);
  return found.map(([, name = '', versions = '']) => ({ name, versions: versions.split(',') }));
}

/** All scenarios for servers, in the suite's order. Their names get `gateway/` in front: some are those of clients too. */
export async function serverScenarios(): Promise<Scenario[]> {
  const { output } = await runTool(['list', '--server']);
  const found = [...output.matchAll(/^ +- (\S+) \[([^\]]+)\]$/gm)];
  if (found.length === 0) throw new Error(`the conformance tool listed no server scenarios:\n${output}`);
  return found.map(([, name = '', versions = '']) => ({
    name: `${GATEWAY}${name}`,
    versions: versions.split(',').filter(version => version === 'extension' || version >= '2025-11-25'),
  }));
}

/** Runs a scenario for servers against this URL. Never rejects for what the server did. */
export async function runServerScenario(url: string, scenario: string, version: string): Promise<Outcome> {
  const name = scenario.slice(GATEWAY.length);
  const folder = temporaryFolder();
  const forget = atExit(() => remove(folder));
  try {
    const args = ['server', '--url', url, '--scenario', name, '--output-dir', folder];
    const { code, output } = await runTool(version === 'extension' ? args : [...args, '--spec-version', version]);
    return outcome(code, resultFile(folder, 'checks.json'), output);
  } finally {
    forget();
    remove(folder);
  }
}

let product: Promise<string> | undefined;

/**
 * Runs a scenario against a client at one protocol version. Never rejects for what the client did.
 * @param mutated arguments of mutated.js: the client is then that of the sources, with one of them replaced; else of the package.
 */
export async function runScenario(name: string, version: string, mutated?: readonly string[]): Promise<Outcome> {
  const folder = temporaryFolder();
  const forget = atExit(() => remove(folder));
  try {
    const own = inRepository('out/test/conformance/client.js');
    const client = [
      process.execPath,
      ...(mutated ? [inRepository('out/test/conformance/mutated.js'), ...mutated] : []),
      own,
    ]
      .map(part => `"${part}"`)
      .join(' ');
    const args = ['client', '--command', client, '--scenario', name, '--output-dir', folder];
    if (!mutated) product ??= shippedFiles();
    const env = mutated ? {} : { TEST_PRODUCT: await product };
    const { code, output } = await runTool(version === 'extension' ? args : [...args, '--spec-version', version], env);
    return outcome(code, resultFile(folder, 'checks.json'), output);
  } finally {
    forget();
    remove(folder);
  }
}

/** The suite's verdict is its exit code; a run in which every check was skipped tested nothing and is no success. */
function outcome(code: number, checks: string | undefined, output: string): Outcome {
  const list = JSON.parse(checks ?? '[]') as Check[];
  const bad = list.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  const details = bad.map(({ id, errorMessage }) => (errorMessage ? `${id}: ${errorMessage}` : id));
  if (code !== 0) return { status: 'failed', details: details.length > 0 ? details : [output.trim().slice(-2_000)] };
  if (list.some(({ status }) => status === 'SUCCESS')) return { status: 'passed', details };
  return { status: 'untested', details: list.map(({ id, errorMessage = '' }) => `${id}: skipped: ${errorMessage}`) };
}

/** The suite puts its results into a folder with a date in its name. */
function resultFile(folder: string, name: string): string | undefined {
  const file = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).find(f => path.basename(f) === name);
  return file === undefined ? undefined : fs.readFileSync(path.join(folder, file), 'utf8');
}

/** Its client is a process of its own: both are in one group, which ends with this process. */
async function runTool(args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  const child = spawnGroup(process.execPath, [tool, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const timer = setTimeout(() => killGroup(child), timeoutMs);
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? 1, output };
  } finally {
    clearTimeout(timer);
  }
}
