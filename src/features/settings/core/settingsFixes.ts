import { type Edit, getNodePath, getNodeValue, type JSONPath, type Node } from 'jsonc-parser';
import { fieldOf, type Problem, parseServers, splitCommandLine, WRAPPERS } from '../../../host/settings';
import { findNode, findSetting, type LocateOptions } from './locateSetting';
import { append, difference, isReadable, removeProperty, settingPath, setValues, spaced } from './settingsEdit';

/** Something that mends a problem of a settings file. `to` is what is written: a key, a type, a value. */
export interface SettingsFix {
  kind:
    | 'rename'
    | 'instead'
    | 'type'
    | 'list'
    | 'split'
    | 'quote'
    | 'unquote'
    | 'remove'
    | 'unwrap'
    | 'moveInputs'
    | 'scheme'
    | 'withoutSpaces'
    | 'encodedSpaces'
    | 'defineInput';
  to: string;
  /** The edit of the given text. Comments and formatting elsewhere stay. */
  edit: Edit;
}

type Path = readonly (string | number)[];

/** In characters: each fix of a longer text would take a noticeable time, as all servers are read with it. */
const MAX_TEXT = 500_000;

const ADDRESSES = ['url', 'issuer', 'authorizationUrl', 'tokenUrl'];

/** Fixes for a problem at its place in the text, if any is known. None leaves a server with a new error. */
export function settingsFixes(text: string, problem: Problem, options: LocateOptions = {}): SettingsFix[] {
  if (text.length > MAX_TEXT) return [];
  const setting = findSetting(text, options);
  const node = setting && findNode(setting, problem.path);
  if (!setting || !node) return [];
  const before = errorsIn(text, options);
  return fixesAt(text, node, problem, options).filter(({ edit: { offset, length, content } }) => {
    const after = text.slice(0, offset) + content + text.slice(offset + length);
    return isReadable(after) && errorsIn(after, options) <= before;
  });
}

function errorsIn(text: string, options: LocateOptions): number {
  const setting = findSetting(text, { ...options, setting: 'servers' });
  const { problems, servers } = parseServers(setting && getNodeValue(setting));
  const all = [...problems, ...servers.flatMap(server => server.problems)];
  return all.filter(({ severity }) => severity === 'error').length;
}

function fixesAt(text: string, node: Node, problem: Problem, options: LocateOptions): SettingsFix[] {
  if (problem.code === 'undefinedInput') return inputFix(text, problem.variable!, options);
  if (problem.code === 'unknownVariable') return variableFix(node, problem.variable!);
  const key = problem.path.at(-1)!;
  if (problem.onKey && problem.path.length === 1 && !problem.setting) return wrapperFixes(text, node, options);
  if (problem.onKey) return keyFixes(text, node, key, problem);
  if (key === 'type') return typeFixes(node);
  if (key === 'command' && problem.severity === 'warning') return splitFix(text, node);
  if (ADDRESSES.includes(String(key)) && node.type === 'string') return addressFixes(node, problem.severity);
  return valueFixes(node, problem.path);
}

/** An input that is asked for as a secret: what else it may be is for the person to write. */
function inputFix(text: string, id: string, options: LocateOptions): SettingsFix[] {
  const list = findSetting(text, { ...options, setting: 'inputs' });
  if (options.projectFile || (list && list.type !== 'array')) return [];
  const input = { type: 'promptString', id, password: true };
  const after = append(text, settingPath(text, 'inputs', options), undefined, input);
  return [{ kind: 'defineInput', to: id, edit: difference(text, after) }];
}

/** `${NAME}`, as shells and other hosts have it. */
function variableFix(node: Node, name: string): SettingsFix[] {
  if (node.type !== 'string' || !/^[A-Z_][A-Z\d_]*$/.test(name)) return [];
  const to = `\${env:${name}}`;
  const value = (node.value as string).replace(/(\$?)\$\{(\w+)\}/g, (all, dollar: string, of: string) =>
    dollar || of !== name ? all : to,
  );
  return [{ kind: 'instead', to, edit: replace(node, value) }];
}

/** What was pasted around servers, or beside them. */
function wrapperFixes(text: string, node: Node, options: LocateOptions): SettingsFix[] {
  const property = node.parent;
  const name = String(property?.children?.[0]?.value);
  if (!property) return [];
  if (name === 'inputs' && node.type === 'array')
    return [{ kind: 'moveInputs', to: '', edit: difference(text, withInputsMoved(text, options)) }];
  if (!WRAPPERS.includes(name) || node.type !== 'object') return [];
  const names = new Set(property.parent?.children?.map(({ children }) => children?.[0]?.value as unknown));
  if (node.children?.some(({ children }) => names.has(children?.[0]?.value))) return [];
  // Among servers, a list of inputs would be taken for one.
  return [
    { kind: 'unwrap', to: '', edit: difference(text, withInputsMoved(unwrapped(text, property, node), options)) },
  ];
}

/** With the members of a wrapper in its place. */
function unwrapped(text: string, property: Node, { offset, length, children: [first] = [], children }: Node): string {
  const last = children?.at(-1);
  if (!first || !last) return removeProperty(text, property);
  const end = last.offset + last.length;
  const inner = text.slice(offset + 1, end) + text.slice(end, offset + length - 1).replace(/^(\s*),/, '$1');
  const [deeper, indent] = [indentAt(text, first.offset), indentAt(text, property.offset)];
  const content = deeper.startsWith(indent) ? inner.trim().replaceAll(`\n${deeper}`, `\n${indent}`) : inner.trim();
  return text.slice(0, property.offset) + content + text.slice(property.offset + property.length);
}

/** With the inputs that stand among the servers where they belong. */
function withInputsMoved(text: string, options: LocateOptions): string {
  const node = findNode(findSetting(text, options)!, ['inputs']);
  if (node?.type !== 'array' || !node.parent) return text;
  return (getNodeValue(node) as unknown[]).reduce<string>(
    (before, input) => append(before, settingPath(before, 'inputs', options), undefined, input),
    removeProperty(text, node.parent),
  );
}

const indentAt = (text: string, offset: number) =>
  /^\s*/.exec(text.slice(text.lastIndexOf('\n', offset) + 1, offset))![0];

function keyFixes(text: string, node: Node, key: string | number, { meant, isUnknown }: Problem): SettingsFix[] {
  const property = node.type === 'property' ? node : node.parent;
  const [keyNode] = property?.children ?? [];
  if (!property || !keyNode) return [];
  const instead = (name: string, value: unknown): SettingsFix => {
    const to = `${JSON.stringify(name)}: ${spaced(value)}`;
    return { kind: 'instead', to, edit: { ...rangeOf(property), content: to } };
  };
  // Its value says the opposite there.
  if (key === 'disabled' && node.type === 'boolean') return [instead('enabled', !node.value)];
  const [field = '', limit] = meant?.split('.') ?? [];
  if (meant === undefined)
    return isUnknown
      ? [{ kind: 'remove', to: String(key), edit: difference(text, removeProperty(text, property)) }]
      : [];
  const taken = memberOf(property.parent, field);
  if (limit === undefined) return taken ? [] : [{ kind: 'rename', to: field, edit: replace(keyNode, field) }];
  const fix = instead(field, { [limit]: milliseconds(String(key), Number(node.value)) });
  if (!taken) return [fix];
  const without = removeProperty(text, property);
  const path = [...getNodePath(property), field, limit];
  return [
    { ...fix, edit: difference(text, setValues(without, [[path, milliseconds(String(key), Number(node.value))]])) },
  ];
}

/** Other hosts use seconds or milliseconds: a number below 1,000 means seconds. */
const milliseconds = (key: string, value: number): number =>
  /sec$/i.test(key) || (value < 1_000 && !/ms$/i.test(key)) ? value * 1_000 : value;

function typeFixes(node: Node): SettingsFix[] {
  const entry = node.parent?.parent;
  const has = (key: string) => memberOf(entry, key) !== undefined;
  const types =
    has('command') && !has('url') ? ['stdio'] : has('url') && !has('command') ? ['http', 'sse'] : ['stdio', 'http'];
  return types.map(to => ({ kind: 'type', to, edit: replace(node, to) }));
}

function splitFix(text: string, node: Node): SettingsFix[] {
  if (node.type !== 'string' || memberOf(node.parent?.parent, 'args')) return [];
  const [command = '', ...args] = splitCommandLine(node.value as string);
  if (args.length === 0) return [];
  const path = getNodePath(node);
  const values: [JSONPath, unknown][] = [
    [path, command],
    [[...path.slice(0, -1), 'args'], args],
  ];
  return [{ kind: 'split', to: command, edit: difference(text, setValues(text, values)) }];
}

/** A variable, which stays, or spaces. */
const SPACES = /(\$\{[^{}]*\})|\s+/g;

function addressFixes(node: Node, severity: Problem['severity']): SettingsFix[] {
  const written = String(node.value).trim();
  if (severity === 'warning') {
    const [bare, encoded] = ['', '%20'].map(space => written.replace(SPACES, (_, kept?: string) => kept ?? space));
    return [
      { kind: 'withoutSpaces', to: '', edit: replace(node, bare!) },
      { kind: 'encodedSpaces', to: '', edit: replace(node, encoded!) },
    ];
  }
  const address = written
    .replace(/^["'`<]+/, '')
    .replace(/(?<!["'`>])["'`>]+$/, '')
    .trim();
  if (/^https?:\/\//i.test(address)) return [{ kind: 'unquote', to: address, edit: replace(node, address) }];
  const [, scheme = '', host = ''] = ADDRESS.exec(address) ?? [];
  if (host === '') return [];
  const isPlain = scheme === '' ? /^(localhost|[\d.]+|\[.*\])$/i.test(host) : !/^(wss|h.*s)\b/i.test(scheme);
  const to = isPlain ? 'http://' : 'https://';
  return [{ kind: 'scheme', to, edit: replace(node, to + address.slice(scheme.length)) }];
}

/** The scheme of a web socket, a misspelt one, or none before what can only be a host. */
const ADDRESS =
  /^((?:wss?|h[a-z]{1,6})?[:;]?\/\/)?(localhost|(?:[\w-]+\.)+\w+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?=[/?#]|$)/i;

function valueFixes(node: Node, path: Path): SettingsFix[] {
  const expected = expectedAt(path);
  const { type, value } = node;
  if (expected === 'list' && type === 'string') {
    // As it would stand behind a program.
    const list = splitCommandLine(`program ${value}`).slice(1);
    const content = `[${list.map(item => JSON.stringify(item)).join(', ')}]`;
    return [{ kind: 'list', to: content, edit: { ...rangeOf(node), content } }];
  }
  if (expected === 'string' && (type === 'number' || type === 'boolean')) {
    return [{ kind: 'quote', to: String(value), edit: replace(node, String(value)) }];
  }
  const fits = expected === 'number' ? /^\s*[1-9]\d*\s*$/ : /^\s*(true|false)\s*$/;
  if ((expected === 'number' || expected === 'boolean') && type === 'string' && fits.test(value)) {
    const to = (value as string).trim();
    return [{ kind: 'unquote', to, edit: { ...rangeOf(node), content: to } }];
  }
  return [];
}

/** The kind of value that belongs there: of a field, or within one. */
function expectedAt(path: Path): string | undefined {
  const [parent, last] = [exampleOf(path.at(-2)), exampleOf(path.at(-1))];
  return kindOf(last) ?? kindOf(Object.values(Object(parent))[0]);
}

function exampleOf(name: string | number | undefined): unknown {
  const example = fieldOf(name)?.is[1];
  return example === undefined ? undefined : JSON.parse(example);
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === undefined ? undefined : typeof value);

const memberOf = (object: Node | undefined, key: string) =>
  object?.children?.find(({ children }) => children?.[0]?.value === key);

const rangeOf = ({ offset, length }: Node) => ({ offset, length });

const replace = (node: Node, text: string): Edit => ({ ...rangeOf(node), content: JSON.stringify(text) });
