import assert from 'node:assert/strict';
import fc from 'fast-check';
import { packagesOf } from '../../../src/features/supply/core/packageReference';
import { resolveDefinitions } from '../../../src/host';
import type { ServerDefinition } from '../../../src/host/definition';
import { fetchesAtStart, packageRunner } from '../../../src/host/launch/installedProgram';
import { knownProgram, programName } from '../../../src/host/launch/knownPrograms';
import { splitCommandLine } from '../../../src/host/settings';
import { inLine, lineOf, type Words, wrappedBy, wrappers } from './commands';
import { announce, holds } from './fuzz';
import { character, hostile, pick } from './texts';
import { contextOf } from './values';

/** Command lines that fetch a package `foo`, with the runner that each is. */
const runners: readonly (readonly [runner: string, words: Words])[] = [
  ['npx', ['npx', '-y', 'foo']],
  ['npx', ['C:\\Program Files\\nodejs\\npx.cmd', 'foo']],
  ['npx', ['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', 'foo']],
  ['npm exec', ['npm', '--silent', 'exec', '--', 'foo']],
  ['pnpm dlx', ['pnpm', 'dlx', 'foo']],
  ['yarn dlx', ['yarn', 'dlx', 'foo']],
  ['bunx', ['/opt/bun/bin/bunx', 'foo']],
  ['uvx', ['uvx', 'foo']],
  ['uvx', ['uv', 'tool', 'run', 'foo']],
  ['pipx run', ['python3.12', '-m', 'pipx', 'run', 'foo']],
  ['docker run', ['docker', 'run', '-i', '--rm', 'foo']],
  ['podman run', ['podman', 'container', 'run', 'foo']],
];

const chains = fc.record({
  fetching: pick(...runners),
  around: fc.array(wrappers, { maxLength: 4 }),
});

/** Command lines that run what is installed, and wrappers that are understood as a whole. */
const installed = pick<Words>(
  ['/opt/server', '--all', 'x y'],
  ['C:\\tools\\server.exe'],
  ['node', '--enable-source-maps', '-r', '/opt/hook.js', '/opt/server.js'],
  ['python3.12', '-u', '-X', 'utf8', '/opt/server.py', '-m', 'x'],
  ['java', '-Xmx1g', '-jar', '/opt/server.jar'],
);
const understood = pick(
  wrappedBy('env', '-i', '-u', 'X', 'A=b'),
  wrappedBy('nohup'),
  wrappedBy('nice', '-n5'),
  wrappedBy('timeout', '--signal=KILL', '5s'),
  wrappedBy('flock', '-n', '/tmp/l'),
  wrappedBy('taskset', '-c', '0-3', '--'),
  wrappedBy('sudo', '-E', '-u', 'me', '--'),
  inLine('sh', '-euc'),
  (words: Words): Words => ['/bin/bash', '-o', 'pipefail', '-lc', `cd "/a b" && A=1 exec ${lineOf(words)}`],
);
/** What nothing is known of. */
const strangers = pick<Words>(
  ['stranger'],
  ['stranger', 'run', 'foo'],
  ['nix-shell', '-p', 'foo'],
  ['uv', 'run', '/opt/server.py'],
  ['docker', 'compose', 'run', 'foo'],
  ['npm', 'install', '-g', 'foo'],
  ['node', '--unheard-of', '/opt/server.js'],
  ['node', 'https://example.com/server.js'],
  ['python', '-c', 'x'],
  ['sh'],
  ['$RUNNER'],
);

const fetches = ([command = '', ...args]: Words) =>
  fetchesAtStart({ entry: { type: 'stdio', command, args } } as unknown as Pick<ServerDefinition, 'entry'>);

const isKnown = (command: string) => knownProgram(programName(command)) !== undefined;

describe('fuzz: command lines', () => {
  before(announce);

  holds(
    'that fetch a package are found to, by runner and package, through whatever runs them @commandLines.fetch-package-found',
    'commandLines',
    chains,
    ({ fetching: [runner, words], around }) => {
      const whole = around.reduce((inner, wrap) => wrap(inner), words);
      const [command = '', ...args] = whole;
      assert.equal(packageRunner(command, args), runner, lineOf(whole));
      assert.deepEqual(
        packagesOf(command, args).map(({ name }) => name),
        ['foo'],
        lineOf(whole),
      );
      assert.ok(fetches(whole));
    },
  );

  holds(
    'do not count as fetching when they run what is installed, through wrappers that are understood',
    'installed',
    fc.record({ words: installed, around: fc.array(understood, { maxLength: 4 }) }),
    ({ words, around }) => {
      const whole = around.reduce((inner, wrap) => wrap(inner), words);
      assert.ok(!fetches(whole), lineOf(whole));
    },
  );

  holds(
    'count as fetching when any program of theirs is not understood, wherever it stands @commandLines.count-fetching-program',
    'strangers',
    fc.record({
      stranger: strangers,
      around: fc.array(fc.oneof(understood, wrappers), { maxLength: 4 }),
      beside: fc.option(installed),
      sign: pick('&&', ';', '|', '||', '&'),
      isFirst: fc.boolean(),
    }),
    ({ stranger, around, beside, sign, isFirst }) => {
      const lines = beside ? [lineOf(stranger), lineOf(beside)] : [lineOf(stranger)];
      const inner = beside ? ['sh', '-c', (isFirst ? lines : lines.reverse()).join(` ${sign} `)] : stranger;
      const whole = around.reduce((words, wrap) => wrap(words), inner);
      assert.ok(fetches(whole), JSON.stringify(whole));
    },
  );

  holds(
    'of any words are read in bounded work: quotes, NULs, odd letters, very long ones',
    'oddLines',
    fc.record({
      command: fc.oneof(hostile, pick('sh', 'env', 'node', 'npx', 'cmd', 'flock')),
      args: fc.array(fc.oneof(hostile, fc.string({ unit: character }), pick('-c', '\0', '"', "'", '`', '$(', '\\'))),
      times: pick(1, 1, 1, 20_000),
    }),
    ({ command, args, times }) => {
      const long = args.map(text => text.repeat(Math.min(times, Math.ceil(1_000_000 / (text.length + 1)))));
      const isFetching = fetches([command, ...long]);
      assert.equal(typeof isFetching, 'boolean');
      packagesOf(command, long);
      // What is not understood is never taken for something that is installed.
      if (!isFetching) assert.ok(/[\\/]/.test(command) || isKnown(command), JSON.stringify([command, ...args]));
      assert.ok(Array.isArray(splitCommandLine([command, ...long].join(' '))));
    },
  );

  holds(
    'count as fetching when a package runner stands behind a program that is not known, whatever is between them @commandLines.count-fetching-package',
    'unknownWrappers',
    fc.record({ chain: chains, wrapper: hostile, between: fc.array(hostile, { maxLength: 3 }), asLine: fc.boolean() }),
    ({ chain: { fetching, around }, wrapper, between, asLine }) => {
      const inner = around.reduce((words, wrap) => wrap(words), fetching[1]);
      const whole = [wrapper, ...between, ...(asLine ? [lineOf(inner)] : inner)];
      assert.ok(fetches(whole), JSON.stringify(whole));
    },
  );

  it('of 5,000 entries in fifty files are each read or become a row that says why not, however deep and long they are @commandLines.5-000-entries', () => {
    const inner = ['npx', '-y', 'foo'];
    const deep = (depth: number): Words =>
      Array.from({ length: depth }).reduce<Words>(words => ['sh', '-c', lineOf(words)], inner);
    const odd: readonly Words[] = [
      deep(8),
      ['sh', '-c', 'sh -c '.repeat(20_000)],
      ['sh', '-c', 'env '.repeat(20_000)],
      ['sh', '-c', `${'"'.repeat(20_000)}`],
      ['env', ...Array<string>(2_000).fill('env'), ...inner],
      ['sh', ...Array.from({ length: 50 }, () => 'env '.repeat(2_000))],
      ['uv', 'run', ...Array<string>(500).fill('uv run')],
      ['/opt/server', ...Array<string>(1_000).fill('--')],
    ];
    const entries = Array.from({ length: 5_000 }, (_, index) => {
      const [command, ...args] = odd[index % 97] ?? ['npx', '-y', `foo${index}`];
      return [`server${index}`, { command, args }] as const;
    });
    const { definitions } = resolveDefinitions(
      Array.from({ length: 50 }, (_, file) => ({
        source: { scope: 'workspace' },
        value: Object.fromEntries(entries.slice(100 * file, 100 * (file + 1))),
        variables: contextOf({ config: {}, workspaceKeys: [] }),
      })),
    );
    assert.equal(definitions.length, 5_000);
    for (const { entry, problems } of definitions)
      assert.ok(entry || problems.some(({ severity }) => severity === 'error'));
    // What is too deep to be understood counts as fetching.
    for (const words of odd.slice(0, 7)) assert.ok(fetches(words), words.join(' ').slice(0, 40));
  });

  it('of one entry of any size leave the others alone @commandLines.entry-size-leave', () => {
    const text = '${env:NOT_THERE}'.repeat(50_000);
    const deep = Array.from({ length: 50_000 }).reduce<object>(inner => ({ a: inner }), {});
    const large: readonly object[] = [
      { command: 'x', args: [text, text, text, '${nothing}'] },
      { url: 'https://x.example', headers: { A: text, B: text, C: text } },
      { command: 'x', dev: { debug: deep } },
    ];
    const value = {
      ...Object.fromEntries(large.map((entry, index) => [`large${index}`, entry])),
      good: { command: 'x' },
    };
    const { definitions } = resolveDefinitions([
      { source: { scope: 'workspace' }, value, variables: contextOf({ config: {}, workspaceKeys: [] }) },
    ]);
    assert.equal(definitions.length, large.length + 1);
    assert.ok(definitions.find(({ name }) => name === 'good')?.entry);
    for (const { entry, problems } of definitions)
      assert.ok(problems.length <= 20 && (entry || problems.some(({ severity }) => severity === 'error')));
  });
});
