// The tests that `npm run compat -- windows` leaves out, and why. A line that names no test any more fails the run.
import type { NotHere } from './windowsTests';

const DEMO = "Wine 8 ends Node in the demo server where it gets no console, as the SDK's client starts it";
const LINKS = 'Wine 8 makes no symbolic links and no junctions, though it says that it did';
const CLOSED = 'Wine 8 keeps a pipe open that a living process has closed';
const SHELL = "Wine 8's cmd.exe doesn't understand `^` before signs, as Windows' does";
const SLOW = 'what it sends takes minutes through the pipes of Wine 8';
const NODE = 'it compares with newer versions of Node';
const DIST = 'it runs a program of dist, which is not there under Wine';
const PIPES = 'hundreds of connections over named pipes take a minute under Wine 8';
const ESBUILD = "esbuild's program for Windows doesn't run under Wine 8";
const TSC = "TypeScript's compiler is a program of this system: its program for Windows is not installed";
const BIOME = 'Biome is a program of this system: its program for Windows is not installed';

/** The tests of each reason: a file, or a file and a part of the full title. */
const TESTS: Record<string, (string | [file: string, title: string])[]> = {
  [DEMO]: [
    'demo/clientTools.test.js',
    'demo/lifecycle.test.js',
    'demo/noteTools.test.js',
    'demo/prompts.test.js',
    'demo/noteResources.test.js',
    'demo/roots.test.js',
  ],
  [DIST]: ['commandLine/mcptest.test.js'],
  [LINKS]: [
    ['features/agents/core/bridge/clients.test.js', "the inspector's command line"],
    ['features/clients/caller.test.js', 'matches the innermost real folder, and never one that only shares a prefix'],
    ['features/setup/core/scaffold.test.js', 'in TypeScript builds, runs, passes its test, and has no lint findings'],
    [
      'features/trust/core/argumentRules.test.js',
      'applies within it at any depth, to existing and new files, as path and as URI',
    ],
    ['features/trust/core/argumentRules.test.js', 'does not apply to texts that some programs read differently'],
    ['features/trust/core/argumentRules.test.js', 'does not apply to links that lead out, in a circle, or nowhere'],
    ['features/trust/core/argumentRules.test.js', 'does not follow the folder when it becomes a link'],
  ],
  [PIPES]: [
    ['gateway/abuse.test.js', 'a thousand silent connections'],
    ['gateway/abuse.test.js', 'more abandoned sessions than it keeps'],
  ],
  [SHELL]: [
    [
      'host/transport/commandScript.test.js',
      'runs from a folder with spaces and special characters, by path or name, with or without extension',
    ],
    ['host/transport/commandScript.test.js', 'gets its arguments unchanged: spaces, &, ^, %, !, commas, parentheses'],
  ],
  [SLOW]: [
    [
      'host/transport/httpStreams.test.js',
      'delivers 100,000 log messages without blocking, and none of them to the SDK',
    ],
    ['host/transport/largeMessages.test.js', 'over the limit is skipped'],
    ['host/transport/largeMessages.test.js', 'arrive in a flood with every warning among them'],
  ],
  [CLOSED]: [
    ['host/connection/faultsOfLife.test.js', 'closes stdin but lives'],
    ['host/connection/faultsOfLife.test.js', 'closes stdout but lives'],
    ['host/connection/faultsOfLife.test.js', 'closes stdout during the handshake: its start fails with the reason'],
    ['host/transport/stdioTransport.test.js', 'knows how a server ended when a message to it is rejected'],
  ],
  [NODE]: [['web/node.test.js', 'write international host names alike']],
  [ESBUILD]: ['package.test.js'],
  [TSC]: [['api.test.js', 'depend on the editor only, and the documented sample compiles with them']],
  [BIOME]: [
    [
      'serverText.test.js',
      "make no links or icons: the editor's window is reached through one module, other ways are lint errors",
    ],
  ],
};

export const notHere: NotHere[] = Object.entries(TESTS).flatMap(([why, tests]) =>
  tests.map(test => (typeof test === 'string' ? { file: test, why } : { file: test[0], title: test[1], why })),
);
