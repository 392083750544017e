import { type Edit, getNodePath, type JSONPath, type Node } from 'jsonc-parser';
import { type Problem, splitCommandLine } from '../../../host/settings';
import { findNode, findSetting, type LocateOptions } from './locateSetting';
import { difference, setValues } from './settingsEdit';

/** Something that mends a problem of a settings file. `to` is what is written: a key, a type, a value. */
export interface SettingsFix {
  kind: 'rename' | 'enabled' | 'type' | 'list' | 'split' | 'quote' | 'unquote';
  to: string;
  /** The edit of the given text. Comments and formatting elsewhere stay. */
  edit: Edit;
}

type Path = readonly (string | number)[];

const STRINGS = ['command', 'url', 'cwd', 'envFile', 'logLevel', 'args', 'headers', 'oauth'];

/** Fixes for a problem at its place in the text; empty when none is known, or the text has changed. */
export function settingsFixes(text: string, problem: Problem, options: LocateOptions = {}): SettingsFix[] {
  const setting = findSetting(text, options);
  const node = setting && findNode(setting, problem.path);
  if (!setting || !node) return [];
  const key = problem.path.at(-1)!;
  if (problem.onKey) return keyFixes(node, key, problem.meant);
  if (problem.path.at(-1) === 'type') return typeFixes(node);
  if (key === 'command' && problem.severity === 'warning') return splitFix(text, node);
  return valueFixes(node, problem.path);
}

function keyFixes(node: Node, key: string | number, meant: string | undefined): SettingsFix[] {
  const property = node.type === 'property' ? node : node.parent;
  const [keyNode] = property?.children ?? [];
  if (!property || !keyNode) return [];
  // Its value says the opposite there.
  if (key === 'disabled' && node.type === 'boolean') {
    const to = String(!node.value);
    return [{ kind: 'enabled', to, edit: { ...rangeOf(property), content: `"enabled": ${to}` } }];
  }
  const isTaken = property.parent?.children?.some(({ children }) => children?.[0]?.value === meant);
  if (!meant || isTaken) return [];
  return [{ kind: 'rename', to: meant, edit: replace(keyNode, meant) }];
}

function typeFixes(node: Node): SettingsFix[] {
  const entry = node.parent?.parent;
  const has = (key: string) => entry?.children?.some(({ children }) => children?.[0]?.value === key) ?? false;
  const types =
    has('command') && !has('url') ? ['stdio'] : has('url') && !has('command') ? ['http', 'sse'] : ['stdio', 'http'];
  return types.map(to => ({ kind: 'type', to, edit: replace(node, to) }));
}

function splitFix(text: string, node: Node): SettingsFix[] {
  if (node.type !== 'string') return [];
  const [command = '', ...args] = splitCommandLine(node.value as string);
  const path = getNodePath(node);
  const values: [JSONPath, unknown][] = [
    [path, command],
    [[...path.slice(0, -1), 'args'], args],
  ];
  return [{ kind: 'split', to: command, edit: difference(text, setValues(text, values)) }];
}

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

function expectedAt(path: Path): 'list' | 'string' | 'number' | 'boolean' | undefined {
  const [parent, last] = [path.at(-2), path.at(-1)];
  if (last === 'enabled') return 'boolean';
  if (parent === 'timeouts') return 'number';
  if (last === 'args') return 'list';
  return STRINGS.includes(String(last)) || STRINGS.includes(String(parent)) ? 'string' : undefined;
}

const rangeOf = ({ offset, length }: Node) => ({ offset, length });

const replace = (node: Node, text: string): Edit => ({ ...rangeOf(node), content: JSON.stringify(text) });
