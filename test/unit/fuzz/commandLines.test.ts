import assert from 'node:assert/strict';
import fc from 'fast-check';
import { packagesOf } from '../../../src/features/supply/core/packageReference';
import type { ServerDefinition } from '../../../src/host/definition';
import { runsWhatItFinds } from '../../../src/host/launch/packageManagers';
import { fetchesAtStart, packageRunner } from '../../../src/host/launch/packageRunner';
import { announce, holds } from './fuzz';
import { hostile, pick } from './texts';

type Words = readonly string[];

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

const inQuotes = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
const lineOf = (words: Words) => words.map(word => (/^[\w./-]+$/.test(word) ? word : inQuotes(word))).join(' ');
const wrappedBy =
  (...wrapper: string[]) =>
  (words: Words): Words => [...wrapper, ...words];
const inLine =
  (...shell: string[]) =>
  (words: Words): Words => [...shell, lineOf(words)];

const wrappers = pick(
  wrappedBy('env', 'A=b', '-u', 'npm', '-C', '/x'),
  wrappedBy('sudo', '-E', '-u', 'docker', '--'),
  wrappedBy('nice', '-n', '5'),
  wrappedBy('ionice', '-c', '3'),
  wrappedBy('nohup'),
  wrappedBy('caffeinate', '-i', '-t', '60'),
  wrappedBy('gtimeout', '-s', 'KILL', '5s'),
  wrappedBy('stdbuf', '-oL'),
  wrappedBy('volta', 'run', '--node', '22'),
  wrappedBy('fnm', 'exec'),
  wrappedBy('conda', 'run', '-n', 'node'),
  wrappedBy('mise', 'exec', 'node@22', '--'),
  wrappedBy('poetry', '-C', '/x', 'run'),
  wrappedBy('pipenv', 'run'),
  wrappedBy('bundle', 'exec'),
  wrappedBy('uv', 'run'),
  wrappedBy('op', 'run', '--'),
  wrappedBy('some-wrapper', '--flag', '--'),
  inLine('env', '-S'),
  inLine('script', '-qec'),
  inLine('sh', '-c'),
  inLine('/bin/bash', '-euo', 'pipefail', '-lc'),
  inLine('busybox', 'ash', '-c'),
  inLine('nu', '-c'),
  inLine('pwsh', '-NoProfile', '-Command'),
  (words: Words): Words => ['sh', '-c', `cd "/a b" && A=1 exec ${lineOf(words)} | cat`],
);

const chains = fc.record({
  fetching: pick(...runners),
  around: fc.array(wrappers, { maxLength: 4 }),
});

const fetches = ([command = '', ...args]: Words) =>
  fetchesAtStart({ entry: { type: 'stdio', command, args } } as unknown as Pick<ServerDefinition, 'entry'>);

describe('fuzz: command lines', () => {
  before(announce);

  holds(
    'that fetch a package are found to, by runner and package, through whatever runs them',
    'commandLines',
    chains,
    ({ fetching: [runner, words], around }) => {
      const whole = around.reduce((inner, wrap) => wrap(inner), words);
      const [command = '', ...args] = whole;
      assert.equal(packageRunner(command, args)?.runner, runner, lineOf(whole));
      assert.deepEqual(
        packagesOf(command, args).map(({ name }) => name),
        ['foo'],
        lineOf(whole),
      );
      assert.ok(fetches(whole));
      if (!/docker|podman/.test(runner)) assert.ok(runsWhatItFinds(command, args), lineOf(whole));
    },
  );

  holds(
    'count as fetching when a package runner stands behind a program that is not known, whatever is between them',
    'unknownWrappers',
    fc.record({ chain: chains, wrapper: hostile, between: fc.array(hostile, { maxLength: 3 }), asLine: fc.boolean() }),
    ({ chain: { fetching, around }, wrapper, between, asLine }) => {
      const inner = around.reduce((words, wrap) => wrap(words), fetching[1]);
      const whole = [wrapper, ...between, ...(asLine ? [lineOf(inner)] : inner)];
      assert.ok(fetches(whole), JSON.stringify(whole));
    },
  );
});
