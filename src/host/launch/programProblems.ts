import { phrase } from '../../base/phrase';
import type { Problem, ServerEntry } from '../settings';
import { forExample, quote } from '../settings/fieldProblems';
import { installedPrograms } from './installedProgram';

type Program = Extract<ServerEntry, { type: 'stdio' }>;
type Path = (string | number)[];

/** What can be told about a program before it is launched. Paths are relative to its entry. In web windows: `src/web`. */
export const programProblems = (entry: ServerEntry): readonly Problem[] =>
  entry.type === 'stdio' ? [...foreignPaths(entry), ...loneProgram(entry)] : [];

/** A drive or a share, in a path of Windows; a folder that only other systems have at the root. */
const FOREIGN =
  process.platform === 'win32' ? /^\/(usr|opt|home|Users|bin|mnt|var|etc|tmp)\// : /^(?:[a-z]:[\\/]|\\\\\w)/i;
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'Windows', darwin: 'macOS', linux: 'Linux' };

/** Warnings about paths of another operating system, as after the settings came from another machine. */
function foreignPaths({ command, args, cwd, envFile }: Program): Problem[] {
  const scripts = new Set(installedPrograms(command, args));
  const places: [field: Path, text: string | undefined][] = [
    [['command'], command],
    [['cwd'], cwd],
    [['envFile'], envFile],
    ...args.flatMap((arg, index): [Path, string][] => (scripts.has(arg) ? [[['args', index], arg]] : [])),
  ];
  return places.flatMap(([path, text]): Problem[] => {
    if (text === undefined || !FOREIGN.test(text)) return [];
    const message = phrase(
      '{0} is a path of another operating system: servers run on {1} here.',
      quote(String(path[0])),
      SYSTEMS[process.platform] ?? process.platform,
    );
    return [{ severity: 'warning', path, message }];
  });
}

/** Programs that read what to run from their standard input if no argument names it. */
const WAITING =
  /(^|[\\/])(node(js)?|python[\d.]*|pyw?|deno|ruby|perl|php|npx|(ba|da|k|z)?sh|pwsh|powershell|cmd)(\.(exe|cmd))?$/i;

/** The error of a program that runs nothing, which would start and never answer. */
function loneProgram({ command, args }: Program): Problem[] {
  if (args.length > 0 || !WAITING.test(command)) return [];
  const message = phrase(
    '"args" is missing: {0} alone runs no server, and never answers. {1}',
    quote(command),
    forExample('"args": ["server.js"]'),
  );
  return [{ severity: 'error', path: ['command'], message }];
}
