// A bundle of its own (esbuild.js), which reads JSON with comments: most windows need it for nothing.
import { type Node, parseTree } from 'jsonc-parser';
import { WRAPPERS } from '../../../host/settings';

/** A part of a text, in UTF-16 code units. */
interface SettingsLocation {
  offset: number;
  length: number;
}

export interface LocateOptions {
  /** The text is that of a `.code-workspace` file, whose settings stand below "settings". */
  codeWorkspace?: boolean;
  /** The text is that of a `.mcp.json`, which has servers and nothing else of ours. */
  projectFile?: boolean;
  /** Wanted is the key at the end of the path, whatever its value: see `Problem.onKey`. */
  onKey?: boolean;
  /** Which of the settings below "mcpHost". Default: `servers`. */
  setting?: 'servers' | 'inputs' | 'profiles';
}

/**
 * Where `path`, relative to the value of the setting, stands in the text of a settings file. The text may have
 * comments and may be broken. What is not there is shown at the nearest thing around it that is. Simple values are
 * shown themselves; lists and objects, which may be long, by their key. Undefined when the file has no such setting.
 */
export function locate(
  text: string,
  path: readonly (string | number)[],
  options: LocateOptions = {},
): SettingsLocation | undefined {
  const found = findSetting(text, options);
  if (!found) return undefined;
  let node = found;
  for (const [index, segment] of path.entries()) {
    const next = child(node, segment);
    if (!next) return spot(node);
    node = next;
    if (options.onKey && index === path.length - 1) return keyOf(node) ?? spot(node);
  }
  return spot(node);
}

/** The value of the setting, written with the whole key or nested. In the editor the last of equal keys wins. */
export function findSetting(text: string, options: LocateOptions): Node | undefined {
  const { codeWorkspace, projectFile, setting = 'servers' } = options;
  const root = rootOf(text);
  if (projectFile) return setting === 'servers' ? root && child(root, 'mcpServers') : undefined;
  const settings = codeWorkspace ? root && child(root, 'settings') : root;
  const nested = settings && child(settings, 'mcpHost');
  return settings && (child(settings, `mcpHost.${setting}`) ?? (nested && child(nested, setting)));
}

let last: { readonly text: string; readonly root: Node | undefined } | undefined;

/** Reads a text once for all places that are looked for in one go: a file may have many problems. */
function rootOf(text: string): Node | undefined {
  if (last?.text !== text) {
    last = { text, root: treeOf(text) };
    queueMicrotask(() => (last = undefined));
  }
  return last.root;
}

/** In characters: what a larger file has is not looked for, as each part of it would take many times the room. */
const MAX_TEXT = 4_000_000;

/** Undefined for a text that is very long, or nested deeper than the stack. */
function treeOf(text: string): Node | undefined {
  if (text.length > MAX_TEXT) return undefined;
  try {
    return parseTree(text, [], { allowTrailingComma: true });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The value of a server's entry. */
export function findEntry(text: string, name: string, options: LocateOptions): Node | undefined {
  const setting = findSetting(text, options);
  const places = [[name], ...WRAPPERS.map(wrapper => [wrapper, name])];
  return setting && places.map(path => findNode(setting, path)).find(node => node?.parent?.type === 'property');
}

export function findNode(node: Node, path: readonly (string | number)[]): Node | undefined {
  return path.reduce<Node | undefined>((parent, key) => parent && child(parent, key), node);
}

/** The value below `node`; of a property whose value is not yet typed, the property itself. */
function child(node: Node, segment: string | number): Node | undefined {
  if (node.type === 'array') return typeof segment === 'number' ? node.children?.[segment] : undefined;
  const property = node.children?.findLast(
    ({ type, children }) => type === 'property' && children?.[0]?.value === String(segment),
  );
  return property?.children?.[1] ?? property;
}

const spot = (node: Node): SettingsLocation => (node.children && keyOf(node)) || range(node);

function keyOf(node: Node): SettingsLocation | undefined {
  const property = node.type === 'property' ? node : node.parent?.type === 'property' ? node.parent : undefined;
  const key = property?.children?.[0];
  return key && range(key);
}

const range = ({ offset, length }: Node): SettingsLocation => ({ offset, length });
