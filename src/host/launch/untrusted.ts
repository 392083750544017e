import { type Phrase, phrase } from '../../base/phrase';
import { type ServerDefinition, settlePaths } from '../definition/definition';
import { programIn, type ServerEntry } from '../settings';
import { socketOf } from '../settings/entryTexts';
import { programsOf } from './runChain';
import { type PathRules, WorkspaceMention } from './workspaceMention';

/**
 * Why a launch leads into a workspace that is not trusted, as it completes "could not start: ". Undefined when there is nothing: settings of the workspace, a variable for one of its folders or for a setting
 * in which it may have a say, the path of one of its folders in any text of the entry, in whatever spelling.
 *
 * What lies beside a program (an `.npmrc`, `node_modules/.bin`), is named by an argument or is put into its environment
 * decides what it runs.
 * @param folders paths of all folders of the workspace.
 */
export function partInWorkspace(
  definition: ServerDefinition,
  admitted: ServerEntry,
  folders: readonly string[],
  rules: PathRules = {},
): Phrase | undefined {
  if (definition.source.scope === 'machine')
    return phrase('it is configured by the settings of this remote machine, and the workspace is not trusted');
  if (definition.fromWorkspace) return phrase('it is configured by this workspace, which is not trusted');
  const [variable] = definition.workspaceVariables;
  if (variable !== undefined)
    return phrase('it uses {0}, which depends on this workspace, which is not trusted', variable);
  const entry = settlePaths(admitted, definition.place);
  if (entry.type === 'stdio' && 'cannotBeTold' in programsOf(entry.command, entry.args))
    return phrase('its command line is too long to tell whether it leads into this workspace, which is not trusted');
  const own = entry.type === 'stdio' ? entry.env : {};
  const mention = new WorkspaceMention(folders, { ...rules, variables: own });
  // Only programs run in a folder, from which a path could be relative.
  const from = entry.type === 'stdio' ? (entry.cwd ?? definition.place.base) : undefined;
  const texts = textsOf(entry);
  // `uv --directory folder run path`, `cd folder && node path`.
  const starts = from === undefined ? [from] : [from, ...new Set(texts.flatMap(([, text]) => mention.waysTo(text)))];
  const field = texts.find(([, text]) => starts.some(start => mention.in(text, start)))?.[0];
  if (field !== undefined) return leadsThere(field);
  const helper = entry.type === 'stdio' ? undefined : programIn(entry);
  return helper && partInWorkspace(definition, helper, folders, rules) && leadsThere('"headersHelper"');
}

const leadsThere = (field: Phrase | string) =>
  phrase('its {0} points into this workspace, which is not trusted', field);

/** Every text of an entry that has a part in the launch, with where it stands. */
function textsOf(entry: ServerEntry): [where: Phrase | string, text: string][] {
  if (entry.type !== 'stdio') {
    const { url, headers, oauth = {} } = entry;
    return [
      ['"url"', url],
      ['"url"', socketOf(url)?.path ?? ''],
      ...Object.values(headers).map((value): [string, string] => ['"headers"', value]),
      ['"oauth"', Object.values(oauth).flatMap(deepTexts).join('\n')],
    ];
  }
  const { command, args, cwd = '', envFile: file = '' } = entry;
  return [
    // First: what the others name may be relative to it.
    ['"cwd"', cwd],
    ['"command"', command],
    ...args.map((text): [string, string] => ['"args"', text]),
    ...modulesOf(command, args).map((text): [string, string] => ['"args"', text]),
    ['"envFile"', file],
    ...Object.entries(entry.env).map(([name, value]): [Phrase, string] => [phrase('variable {0}', name), value ?? '']),
  ];
}

/** Modules that Python looks for in its folder, as paths: that of `python -m clone.server` is `clone/server`. */
function modulesOf(command: string, args: readonly string[]): string[] {
  const chain = programsOf(command, args);
  const programs = 'programs' in chain ? chain.programs : [];
  return programs.flatMap(({ name, words }) => {
    if (!/^(i?python|pypy|py)/.test(name)) return [];
    const at = words.findIndex(({ text }) => /^-[A-Za-z]*m/.test(text));
    const module = words[at]?.text.replace(/^-[A-Za-z]*?m/, '') || words[at + 1]?.text;
    return at < 0 || module === undefined ? [] : [module.replaceAll('.', '/')];
  });
}

function deepTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(deepTexts) : [];
}
