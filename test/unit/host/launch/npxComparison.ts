import assert from 'node:assert/strict';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { CachedPackage } from '../../../../src/host/launch/cachedPackage';
import type { Launch } from '../../../../src/host/launch/processGroup';
import { readyProgram, type StartedProgram } from '../../../../src/host/sandbox/launcher';
import { type NpmServer, npxServers, type Wanted } from '../../../bench/npm/servers';
import { waitFor } from '../../../servers/spawn';
import { Tag } from '../../../servers/tagged';
import { temporaryFolder } from '../../../setup/paths';
import { MapMemory } from '../testHost';

const LIMIT_MS = 600_000;
/** Several files of packages run at once. */
const AT_ONCE = 2;
/** A server that has not ended with its input by then may never do so. */
const PATIENCE_MS = 3_000;

/** What a server sees, and what is seen of it. */
interface ServerRecord {
  readonly argv: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  /** Results of its lists, or their errors: some declare lists that they do not have. */
  readonly lists: readonly unknown[];
  /** Undefined: it may not end with its input. */
  readonly code: number | null | undefined;
}

/**
 * A test for each of these servers, for a `describe`. Their packages are installed and started meanwhile, a few at a time.
 */
export function comparedWithNpx(wanted: readonly Wanted[]): void {
  const servers = npxServers(wanted);
  const comparisons = new Map<string, Promise<[withNpx: ServerRecord, without: ServerRecord]>>();

  before(function () {
    if (process.platform !== 'linux') this.skip(); // it looks at /proc
    const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve());
    for (const [i, [name, server]] of Object.entries(servers).entries()) {
      const compared = lanes[i % AT_ONCE]!.then(() => compare(name, server));
      comparisons.set(name, compared);
      lanes[i % AT_ONCE] = compared.then(
        () => {},
        () => {}, // its test fails
      );
    }
  });

  for (const [name, { args }] of Object.entries(servers))
    it(`see the same, list the same and end alike: ${args[1]}`, async function () {
      this.timeout(LIMIT_MS);
      const [withNpx, without] = await comparisons.get(name)!;
      assert.deepEqual(without, withNpx);
      assert.ok(withNpx.lists.length > 0);
    });
}

/** Starts it with npx, which is then asked, and without. */
async function compare(name: string, { command, args, env }: NpmServer): Promise<[ServerRecord, ServerRecord]> {
  const tag = new Tag();
  const inherited = Object.entries(process.env).filter(([variable]) => !/^npm_/i.test(variable));
  const all = { ...Object.fromEntries(inherited), ...env, ...tag.env };
  const launch: Launch = { command, args, env: all, cwd: realpathSync(temporaryFolder()) };
  const memory = new MapMemory();
  const notes: string[] = [];
  const packages = { memory, newer: () => {}, pauseMs: 0 };
  const started = async (endsWithInput?: boolean) => {
    const cached = CachedPackage.of(launch, packages, note => notes.push(note));
    const program = (await readyProgram(launch, undefined, cached)).start();
    try {
      const record = await recordOf(program, tag, endsWithInput);
      await cached?.settle();
      return record;
    } finally {
      program.end(PATIENCE_MS);
      await program.ended();
      await program.release();
      await waitFor(() => tag.processes().length === 0, { what: `the end of ${name}` });
    }
  };
  const withNpx = await started();
  assert.deepEqual(notes, []);
  const without = await started(withNpx.code !== undefined);
  assert.match(notes.join(), /^it is started without npx/);
  return [withNpx, without];
}

/** @param endsWithInput undefined: not known yet. */
async function recordOf({ child }: StartedProgram, tag: Tag, endsWithInput?: boolean): Promise<ServerRecord> {
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve));
  const request = client(child);
  const clientInfo = { name: 'test', version: '0' };
  const { capabilities } = await request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo,
  });
  const lists: unknown[] = [];
  for (const kind of ['tools', 'prompts', 'resources'])
    if (Object.hasOwn(Object(capabilities), kind)) lists.push(await request(`${kind}/list`, {}));
  const isOfNpx = (id: number) => /^(npm exec\b|sh$)/.test(wordsOf(id, 'cmdline')[0] ?? '');
  const own = tag.processes().filter(id => !isOfNpx(id));
  // It may have started others, in whatever order they are listed.
  const pid = own.find(id => !own.includes(parentOf(id))) ?? 0;
  const seen = { argv: wordsOf(pid, 'cmdline'), cwd: readlinkSync(`/proc/${pid}/cwd`) };
  // Those of a shell, which npx starts.
  const env = wordsOf(pid, 'environ').filter(text => !/^(_|SHLVL|OLDPWD)=/.test(text));
  child.stdin?.end();
  const isLate = () => new Promise<undefined>(resolve => setTimeout(resolve, PATIENCE_MS, undefined));
  const code = endsWithInput === false ? undefined : await (endsWithInput ? ended : Promise.race([ended, isLate()]));
  return { ...seen, env: env.sort(), lists, code };
}

/** The second number behind the name, which is in brackets. */
const parentOf = (pid: number) => Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);

const wordsOf = (pid: number, file: 'cmdline' | 'environ') =>
  readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').filter(Boolean);

/** Sends requests and returns their results. Questions of the server stay unanswered. */
function client({ stdin, stdout, stderr }: StartedProgram['child']) {
  const waiting = new Map<number, (message: { result?: Record<string, unknown>; error?: unknown }) => void>();
  createInterface({ input: stdout! }).on('line', line => {
    if (!line.startsWith('{')) return;
    const message = JSON.parse(line);
    if (!('method' in message)) waiting.get(message.id)?.(message);
  });
  let said = '';
  stderr!.setEncoding('utf8').on('data', text => {
    said += text;
  });
  return (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = waiting.size;
    const answered = new Promise<Record<string, unknown>>((resolve, reject) => {
      waiting.set(id, ({ result, error }) => resolve(result ?? { error }));
      stdout!.once('close', () => reject(new Error(`It has ended: ${said}`)));
    });
    stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    if (method === 'initialize')
      void answered.then(
        () => stdin!.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n'),
        () => {},
      );
    return answered;
  };
}
