import { pick } from './texts';

export type Words = readonly string[];

const inQuotes = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
export const lineOf = (words: Words) => words.map(word => (/^[\w./-]+$/.test(word) ? word : inQuotes(word))).join(' ');
export const wrappedBy =
  (...wrapper: string[]) =>
  (words: Words): Words => [...wrapper, ...words];
export const inLine =
  (...shell: string[]) =>
  (words: Words): Words => [...shell, lineOf(words)];

/** What may stand around a command. */
export const wrappers = pick(
  wrappedBy('env', 'A=b', '-u', 'npm', '-C', '/x'),
  wrappedBy('sudo', '-E', '-u', 'docker', '--'),
  wrappedBy('nice', '-n', '5'),
  wrappedBy('ionice', '-c', '3'),
  wrappedBy('flock', '-w', '5', '/tmp/l'),
  wrappedBy('taskset', '-c', '0-3'),
  wrappedBy('chrt', '-f', '10'),
  wrappedBy('chroot', '/srv'),
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
  inLine('flock', '/tmp/l', '-c'),
  inLine('script', '-qec'),
  inLine('sh', '-c'),
  inLine('/bin/bash', '-euo', 'pipefail', '-lc'),
  inLine('busybox', 'ash', '-c'),
  inLine('nu', '-c'),
  inLine('pwsh', '-NoProfile', '-Command'),
  (words: Words): Words => ['sh', '-c', `cd "/a b" && A=1 exec ${lineOf(words)} | cat`],
);
