import { sep } from 'node:path';
import { mapTexts } from '../../base/json';
import { type Phrase, type PhraseError, phrase } from '../../base/phrase';
import { hasPort } from './entryTexts';
import { quote } from './fieldProblems';
import type { InputDefinition } from './inputs';
import { checkResolved, type Problem } from './parseServers';
import type { ServerEntry } from './schema';
import { type Meter, SettingsBudget } from './settingsBudget';

/** The values of variables where an entry was configured. */
export interface VariableContext {
  /** Path of the folder that the settings belong to. Undefined when there is none, or no way to choose one. */
  workspaceFolder?: string;
  /** Paths of all folders, by name; several folders may have one. */
  workspaceFolders: readonly (readonly [name: string, path: string])[] | Record<string, string>;
  userHome: string;
  /** The program that runs the editor's extensions. Absent: it is none that could be started. */
  execPath?: string | undefined;
  /** Path of an installed extension. Absent: there are none. */
  extensionFolder?(id: string): string | undefined;
  env(name: string): string | undefined;
  /** The value of any setting of the editor. */
  config(key: string): unknown;
  /** Whether `mcpHost.inputs` of the same settings file has this id. Absent: there are none. */
  hasInput?(id: string): boolean;
  /** Whether that value comes from the workspace rather than from the person. Absent: never. */
  isWorkspaceConfig?(key: string): boolean;
}

interface ResolvedEntry {
  /** As far as it could be resolved: not to be used when `problems` has an error. */
  entry: ServerEntry;
  /** The entry as it is reviewed before a launch: see `forReview`. */
  reviewed: ServerEntry;
  /** Paths are relative to the entry. */
  problems: Problem[];
  /** Keys that `${config:…}` named, each once. The entry may change when their settings do. */
  configKeys: string[];
  /**
   * The variables that stand for a folder of the workspace, or for a setting, in which it may have a say. Each once, and
   * without those in `roots`, which are not part of what is launched.
   */
  workspaceVariables: string[];
  /** Where `${input:id}` was left for the launch: its value is never part of a definition. */
  placeholders: Placeholder[];
  /** Values of environment variables: some are secrets. */
  envValues: EnvValue[];
}

/** The value of `${env:name}`, and the field that it became a part of. */
export interface EnvValue {
  name: string;
  value: string;
  path: readonly (string | number)[];
}

/** Variables of tasks and debug configurations. */
const OF_OPEN_EDITOR = /^(file|relativeFile|lineNumber$|columnNumber$|selectedText$|activeEditor)/;

const KNOWN =
  '${workspaceFolder}, ${workspaceFolder:name}, ${workspaceFolderBasename}, ${userHome}, ${execPath}, ${extensionInstallFolder:publisher.name}, ${env:NAME}, ${env:NAME:-default}, ${config:key}, ${input:id}, ${port}, ${pathSeparator}, ${/}';

type Path = readonly (string | number)[];
type Report = (
  severity: Problem['severity'],
  message: Phrase,
  about?: Required<Pick<Problem, 'code' | 'variable'>>,
) => undefined;

/**
 * Resolves the variables in every value of an entry (names of variables and headers stay as they are). What a variable
 * stands for is not resolved again. `$${text}` is the way to write `${text}` itself, for a shell that the entry runs.
 * @param meter counts what is filled in.
 * @throws PhraseError when that is too much.
 */
export function resolveVariables(entry: ServerEntry, context: VariableContext, meter: Meter): ResolvedEntry {
  const problems: Problem[] = [];
  const configKeys = new Set<string>();
  const workspaceVariables = new Set<string>();
  const placeholders: Placeholder[] = [];
  const envValues: EnvValue[] = [];
  const resolved = mapTexts(entry, (text, path) => {
    const inputs: PlacedInput[] = [];
    let out = '';
    let end = 0;
    for (const match of text.matchAll(VARIABLE)) {
      const [all, dollar, variable = '', name = ''] = match;
      out += text.slice(end, match.index);
      end = match.index + all.length;
      if (dollar) {
        out += variable;
        continue;
      }
      meter({ variables: 1 });
      // A root that is not there is left out; the server runs all the same.
      const report: Report = (severity, message, about) =>
        void problems.push({
          severity: path[0] === 'roots' ? 'warning' : severity,
          path,
          message,
          ...about,
        });
      if (isPort(name, entry)) {
        out += variable;
        continue;
      }
      if (name.startsWith('config:')) configKeys.add(argument(name));
      if (/^(workspace(Root$|Folder(Basename$|:|$))|config:)/.test(name) && path[0] !== 'roots')
        workspaceVariables.add(variable);
      const value = lookUp(name, context, report);
      meter({ filled: value?.length ?? 0 });
      if (value !== undefined && name.startsWith('env:')) envValues.push({ name: envOf(name).variable, value, path });
      if (isInput(name, context)) inputs.push({ id: argument(name), offset: out.length });
      out += value ?? variable;
    }
    out += text.slice(end);
    // Not spread into one call: they may be more than a call has room for.
    for (const place of placesOf(inputs, out, path)) placeholders.push(place);
    return out;
  });
  const result = {
    entry: resolved,
    reviewed: forReview(entry, context),
    problems,
    configKeys: [...configKeys],
    workspaceVariables: [...workspaceVariables],
    placeholders,
    envValues,
  };
  if (problems.some(({ severity }) => severity === 'error')) return result;
  const { entry: checked = resolved, problems: found } = checkResolved(resolved);
  const late = found.map(problem => ({
    ...problem,
    message: phrase('After its variables are resolved: {0}', problem.message),
  }));
  return { ...result, entry: checked, problems: [...problems, ...late] };
}

const VARIABLE = /(\$?)(\$\{([^{}]*)\})/g;

/** The port that is chosen when a program starts that is reached at an address with it. */
const isPort = (name: string, entry: ServerEntry) =>
  name === 'port' && entry.type === 'stdio' && entry.url !== undefined && hasPort(entry.url);

interface PlacedInput {
  id: string;
  offset: number;
}

/** Told by their order, not by offsets: checks may still trim the string. */
function placesOf(inputs: readonly PlacedInput[], text: string, path: Path): Placeholder[] {
  if (inputs.length === 0) return [];
  const order = new Map([...text.matchAll(INPUT)].map(({ index: offset }, index) => [offset, index]));
  return inputs.map(({ id, offset }) => ({ id, path, index: order.get(offset)! }));
}

const isInput = (name: string, { hasInput }: VariableContext) =>
  name.startsWith('input:') && hasInput?.(argument(name)) === true;

/** In an entry under review, what stands in the place of the `$` of a variable that is resolved at launch. */
export const REFERENCE = '\0';

/**
 * The entry as it is reviewed before a launch: with the values that come from the workspace. References stay for `${env:…}` and
 * `${input:…}`, whose values are the person's own and may be secret, and for `${port}`, which is not known yet. A reference is
 * marked by a NUL, which no valid entry contains: text that merely looks like a variable is never taken for one.
 */
function forReview(entry: ServerEntry, context: VariableContext): ServerEntry {
  return mapTexts(entry, text =>
    text.replace(VARIABLE, (_all, dollar: string, variable: string, name: string) => {
      if (dollar) return variable;
      if (/^(env|input):/.test(name) || isPort(name, entry)) return `${REFERENCE}{${name}}`;
      return lookUp(name, context, () => undefined) ?? variable;
    }),
  );
}

const argument = (name: string) => name.slice(name.indexOf(':') + 1);

function envOf(name: string): { variable: string; byDefault?: string } {
  const [, variable = '', byDefault] = /^env:(.*?)(?::-(.*))?$/s.exec(name) ?? [];
  return { variable, ...(byDefault !== undefined && { byDefault }) };
}

/** The value of `${name}`. Undefined when that is an error, which is then reported. */
function lookUp(name: string, context: VariableContext, report: Report): string | undefined {
  const variable = `\${${quote(name).slice(1, -1)}}`;
  // The second is the editor's former name of the first.
  if (name === 'workspaceFolder' || name === 'workspaceRoot')
    return context.workspaceFolder ?? report('error', noFolder(context));
  if (name === 'workspaceFolderBasename')
    return context.workspaceFolder?.split(/[\\/]/).findLast(Boolean) ?? report('error', noFolder(context));
  if (name === 'userHome') return context.userHome;
  if (name === 'execPath' && context.execPath !== undefined) return context.execPath;
  if (name === 'pathSeparator' || name === '/') return sep;
  if (name.startsWith('workspaceFolder:')) {
    const names = folders(context).map(([name]) => quote(name));
    const message =
      names.length > 0
        ? phrase('{0} names a folder that is not open. The open folders are: {1}.', variable, names.join(', '))
        : phrase('{0} names a folder that is not open. No folder is open.', variable);
    const [found, other] = folders(context).filter(([folder]) => folder === argument(name));
    if (!other) return found?.[1] ?? report('error', message);
    return report(
      'error',
      phrase('{0} names several open folders. Give each a "name" in the .code-workspace file.', variable),
    );
  }
  if (name.startsWith('extensionInstallFolder:')) {
    const folder = context.extensionFolder?.(argument(name));
    return folder ?? report('error', phrase('{0} names an extension that is not installed or not enabled.', variable));
  }
  if (name.startsWith('env:')) {
    const { variable: wanted, byDefault } = envOf(name);
    const value = context.env(wanted);
    // As in a shell, an empty variable has its default too.
    if (byDefault === undefined ? value !== undefined : value) return value;
    if (byDefault !== undefined) return byDefault;
    report(
      'warning',
      phrase('{0} is empty: the editor has no such environment variable. Set it and restart the editor.', variable),
      { code: 'unsetVariable', variable: wanted },
    );
    return '';
  }
  if (name.startsWith('config:')) {
    const value = context.config(argument(name));
    if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    return report(
      'error',
      value === undefined || value === null
        ? phrase('{0} cannot be used: that setting has no value. Set it, or use another one.', variable)
        : phrase(
            '{0} cannot be used: that setting is not a text, a number, or true or false. Set it, or use another one.',
            variable,
          ),
    );
  }
  if (name.startsWith('input:')) {
    if (isInput(name, context)) return undefined;
    const undefinedText = phrase('{0} is not defined. Add it to "mcpHost.inputs" in the same settings file.', variable);
    return report('error', undefinedText, { code: 'undefinedInput', variable: argument(name) });
  }
  if (OF_OPEN_EDITOR.test(name))
    return report(
      'error',
      phrase('{0} stands for what is open in the editor, which a server does not follow.', variable),
    );
  return report(
    'error',
    phrase(
      '{0} is not a variable. The variables are {1}. For the literal text, write {2}.',
      variable,
      KNOWN,
      `$${variable}`,
    ),
    { code: 'unknownVariable', variable: name },
  );
}

function noFolder(context: VariableContext): Phrase {
  return folders(context).length > 0
    ? phrase('Several folders are open. Use ${workspaceFolder:name} to choose one.')
    : phrase('${workspaceFolder} has no value because no folder is open. Open a folder, or enter a path.');
}

const folders = ({ workspaceFolders: all }: VariableContext): readonly (readonly [string, string])[] =>
  Array.isArray(all) ? all : Object.entries(all);

export const folderPaths = (context: VariableContext): string[] => folders(context).map(([, path]) => path);

/** Where `${input:id}` stands in an entry whose other variables are resolved. */
export interface Placeholder {
  readonly id: string;
  readonly path: readonly (string | number)[];
  /** Which texts that look like one are: not those out of a variable, nor those written `$${input:id}`. */
  readonly index: number;
}

/** The inputs that an entry uses. */
export interface UsedInputs {
  readonly definitions: readonly InputDefinition[];
  readonly places: readonly Placeholder[];
}

const INPUT = /\$\{input:([^{}]*)\}/g;

/**
 * A copy of `entry` with the values of its inputs, once. A problem instead when they make it one that cannot be launched,
 * as a line break in a header: the id of an input that does so and why, without the value.
 *
 * @throws TypeError when `values` lacks one.
 */
export function fillInputs(
  entry: ServerEntry,
  { places }: UsedInputs,
  values: ReadonlyMap<string, string>,
): { entry: ServerEntry } | { problem: { id: string; message: Phrase | string } } {
  const meter = new SettingsBudget().meter();
  for (const { id } of places) {
    try {
      meter({ filled: values.get(id)?.length ?? 0 });
    } catch (error) {
      return { problem: { id, message: (error as PhraseError).phrase } };
    }
  }
  const copy = structuredClone(entry);
  const strings = Map.groupBy(places, ({ path }) => JSON.stringify(path));
  for (const [first, ...more] of strings.values()) replaceAt(copy, [first!, ...more], values);
  const { entry: checked, problems } = checkResolved(copy);
  if (checked) return { entry: checked };
  const [problem] = problems;
  const at = places.find(({ path }) => String(path) === String(problem!.path)) ?? places[0]!;
  return { problem: { id: at.id, message: problem!.message } };
}

function replaceAt(entry: ServerEntry, places: readonly Placeholder[], values: ReadonlyMap<string, string>): void {
  const path = [...places[0]!.path];
  const last = path.pop()!;
  const holder = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], entry);
  const parent = holder as Record<string, string>;
  const wanted = new Set(places.map(({ index }) => index));
  let index = 0;
  parent[last] = parent[last]!.replace(INPUT, (text: string, id: string) => {
    if (!wanted.has(index++)) return text;
    const value = values.get(id);
    if (value === undefined) throw new TypeError(`The input "${id}" has no value`);
    return value;
  });
}
