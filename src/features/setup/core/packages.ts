import { splitCommandLine } from '../../../host';
import { nameOfPackage, nameOfServer } from './dialects';
import { type DraftEntry, fitName, type ServerDraft } from './draft';

/** A server of which a person has told the command line. */
export function commandDraft(line: string): ServerDraft {
  const [command = '', ...args] = splitCommandLine(line);
  return draft(nameOfServer({ command, args }), { command, args });
}

/** A package of npm (`name` or `name@version`), run by `npx`. */
export function npmDraft(specifier: string, args: string): ServerDraft {
  return draft(nameOfPackage(specifier), { command: 'npx', args: ['-y', specifier.trim(), ...argumentsOf(args)] });
}

/** A Python package (`name` or `name@version`), run by `uvx`. */
export function pythonDraft(specifier: string, args: string): ServerDraft {
  return draft(nameOfPackage(specifier), { command: 'uvx', args: [specifier.trim(), ...argumentsOf(args)] });
}

/** A server at an address. One that speaks only the older HTTP+SSE is found out when it is connected. */
export function addressDraft(url: string): ServerDraft {
  return draft(nameOfServer({ url: url.trim() }), { type: 'http', url: url.trim() });
}

function draft(name: string, entry: DraftEntry): ServerDraft {
  return { name: fitName(name), entry, inputs: [], values: new Map(), notes: [] };
}

/** The words of a line of arguments, split as a shell would. */
function argumentsOf(line: string): string[] {
  return line.trim() === '' ? [] : splitCommandLine(`x ${line}`).slice(1);
}
