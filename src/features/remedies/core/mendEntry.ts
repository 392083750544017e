import { applyEdits, type Edit, getNodePath, getNodeValue } from 'jsonc-parser';
import { withoutTrailingSlashes } from '../../../base/text';
import type { Remedy } from '../../../host';
import type { ServerDefinition } from '../../../host/definition';
import { findPlainSecrets, type InputDefinition, parseInputs, parseServers } from '../../../host/settings';
import {
  difference,
  findEntry,
  findNode,
  findSetting,
  type LocateOptions,
  newInput,
  settingsFixes,
  setValues,
} from '../../settings/core';

/** How a remedy changes settings. */
export interface EntryEdit {
  readonly edit: Edit;
  /** An input that the edit needs, and its value. */
  readonly input?: InputDefinition;
  readonly value?: string;
}

/** The edits of a remedy. Undefined: it makes none, or the text lacks the entry. @param value of the person. */
export function mendEntry(
  text: string,
  { name, problems }: Pick<ServerDefinition, 'name' | 'problems'>,
  { remedy, value }: { remedy: Remedy; value: string },
  options: LocateOptions,
): EntryEdit | undefined {
  const only = (edit: Edit | undefined) => edit && { edit };
  switch (remedy.kind) {
    case 'appendPath':
      return only(appendToUrl(text, name, '/mcp', options));
    case 'raiseLimit':
      return only(setField(text, name, { path: ['timeouts', remedy.limit], value: remedy.ms }, options));
    case 'setCommand':
      return only(replaceCommand(text, name, remedy.to, options));
    case 'rename': {
      const problem = problems.find(({ path }) => String(path) === String(remedy.path));
      return problem && settingsFixes(text, problem, options)[0];
    }
    case 'makeInput': {
      const made = variableToInput(text, name, remedy.variable, options);
      return made && { ...made, value };
    }
    case 'setHeader': {
      const [, header = 'Authorization', given = value] = /^([\w-]+):\s*(.*)/s.exec(value) ?? [];
      const isBearer = header.toLowerCase() === 'authorization' && !/\s/.test(given.replace(/^bearer\s+/i, ''));
      const made = headerToInput(text, name, { header, scheme: isBearer ? 'Bearer' : '' }, options);
      return made && { ...made, value: isBearer ? given.replace(/^bearer\s+/i, '') : given };
    }
    default:
      return undefined;
  }
}

/** Whether it changes the entry of a server, instead of something around it. */
export const mendsEntry = ({ kind }: Remedy): boolean => MENDING.has(kind);

const MENDING: ReadonlySet<Remedy['kind']> = new Set([
  'appendPath',
  'makeInput',
  'raiseLimit',
  'rename',
  'setCommand',
  'setHeader',
]);

/** A change of a settings file that brings an input along, whose value the caller stores. */
interface InputEdit {
  edit: Edit;
  input: InputDefinition;
}

/** The edit that sets a field of a server's entry. Undefined when the entry is not in this text. */
export function setField(
  text: string,
  name: string,
  { path, value }: { path: readonly (string | number)[]; value: unknown },
  options: LocateOptions,
): Edit | undefined {
  const entry = entryIn(text, name, options);
  return entry && difference(text, setValues(text, [[[...getNodePath(entry), ...path], value]]));
}

/** The edit that puts another program in place of the first word of the command as written: arguments behind it stay. */
function replaceCommand(text: string, name: string, to: string, options: LocateOptions): Edit | undefined {
  const node = textIn(text, name, 'command', options);
  return (
    node &&
    rewritten(
      node,
      node.value.replace(/^\s*\S+/, () => to),
    )
  );
}

/** The edit that appends to the path of a server's URL as written: its query, and variables in it, stay. */
export function appendToUrl(text: string, name: string, path: string, options: LocateOptions): Edit | undefined {
  const node = textIn(text, name, 'url', options);
  const [, before = '', after = ''] = /^((?:\$\{[^{}]*\}|[^?#])*)(.*)/s.exec(node?.value ?? '') ?? [];
  return node && rewritten(node, withoutTrailingSlashes(before) + path + after);
}

interface WrittenText {
  readonly offset: number;
  readonly length: number;
  readonly value: string;
}

/** A text in a server's entry as it is written there. */
function textIn(text: string, name: string, field: string, options: LocateOptions): WrittenText | undefined {
  const entry = entryIn(text, name, options);
  const node = entry && findNode(entry, [field]);
  return node?.type === 'string' ? { offset: node.offset, length: node.length, value: String(node.value) } : undefined;
}

const rewritten = ({ offset, length }: WrittenText, to: string): Edit => ({
  offset,
  length,
  content: JSON.stringify(to),
});

/** The edit that sets a header of a server to `scheme` (empty: none) and an input: the one that it has already, or a new one. */
export function headerToInput(
  text: string,
  name: string,
  { header, scheme }: { header: string; scheme: string },
  options: LocateOptions,
): InputEdit | undefined {
  const entry = entryIn(text, name, options);
  if (!entry) return undefined;
  const headers = findNode(entry, ['headers']);
  const written = headers?.children?.find(
    ({ children }) => String(children?.[0]?.value).toLowerCase() === header.toLowerCase(),
  );
  const key = String(written?.children?.[0]?.value ?? header);
  const [, id = ''] = /^\S*\s*\$\{input:([^{}]*)\}$/.exec(String(written?.children?.[1]?.value)) ?? [];
  const made = knownInput(text, id, options) ?? newInput(text, name, header, options);
  if (!made) return undefined;
  const value = `${scheme === '' ? '' : `${scheme} `}\${input:${made.input.id}}`;
  const set = setValues(text, [[[...getNodePath(entry), 'headers', key], value]]);
  return { edit: difference(text, made.addTo(set)), input: made.input };
}

/** The edit that puts a new input in the place of a variable of the environment, wherever the entry has it. */
export function variableToInput(
  text: string,
  name: string,
  variable: string,
  options: LocateOptions,
): InputEdit | undefined {
  const entry = entryIn(text, name, options);
  const made = newInput(text, name, variable, options);
  if (!entry || !made) return undefined;
  const wanted = `\${env:${variable}}`;
  const part = text.slice(entry.offset, entry.offset + entry.length);
  // Two dollars are text.
  const changed = part.replaceAll(/\$?\$\{env:[^{}"]*\}/g, found =>
    found === wanted ? `\${input:${made.input.id}}` : found,
  );
  if (changed === part) return undefined;
  const replaced = text.slice(0, entry.offset) + changed + text.slice(entry.offset + entry.length);
  return { edit: difference(text, made.addTo(replaced)), input: made.input };
}

/** An input that is in the settings already. */
function knownInput(text: string, id: string, options: LocateOptions) {
  const node = findSetting(text, { ...options, setting: 'inputs' });
  const input = parseInputs(node && getNodeValue(node)).inputs.get(id);
  return input && { input, addTo: (changed: string) => changed };
}

function entryIn(text: string, name: string, options: LocateOptions) {
  const entry = findEntry(text, name, options);
  return entry?.type === 'object' ? entry : undefined;
}

/**
 * How the secret in the string at `path` (below `mcpHost.servers`) is replaced by `${input:server-name}`, and the input
 * added to `mcpHost.inputs`. Undefined when there is no secret any more, or `mcpHost.inputs` is not a list.
 */
export function moveSecretToInput(
  text: string,
  path: readonly (string | number)[],
  options: LocateOptions,
): Required<EntryEdit> | undefined {
  const found = findSetting(text, options);
  const node = found && findNode(found, path);
  if (!found || node?.type !== 'string') return undefined;
  const { servers } = parseServers(getNodeValue(found));
  const server = servers.find(({ path: at }) => at.every((key, index) => key === path[index]));
  const secret = server && findPlainSecrets(server).find(({ path: at }) => String(at) === String(path));
  if (!secret) return undefined;
  const { name, value, index } = secret;
  const made = newInput(text, server.name, name, options);
  if (!made) return undefined;
  const written = node.value as string;
  const start = written.indexOf(value, index); // reading may have left out spaces before it
  const reference = `\${input:${made.input.id}}`;
  const content = JSON.stringify(`${written.slice(0, start)}${reference}${written.slice(start + value.length)}`);
  const replaced = applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
  return { input: made.input, value, edit: difference(text, made.addTo(replaced)) };
}
