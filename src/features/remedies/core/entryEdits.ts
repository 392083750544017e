import { type Edit, getNodePath, getNodeValue } from 'jsonc-parser';
import { type InputDefinition, parseInputs } from '../../../host/settings';
import { difference, findEntry, findNode, findSetting, type LocateOptions, newInput, setValues } from '../../settings';

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

/** The edit that appends to the path of a server's URL as written: its query, and variables in it, stay. */
export function appendToUrl(text: string, name: string, path: string, options: LocateOptions): Edit | undefined {
  const entry = entryIn(text, name, options);
  const node = entry && findNode(entry, ['url']);
  if (node?.type !== 'string') return undefined;
  const [, before = '', after = ''] = /^((?:\$\{[^{}]*\}|[^?#])*)(.*)$/s.exec(String(node.value)) ?? [];
  return {
    offset: node.offset,
    length: node.length,
    content: JSON.stringify(before.replace(/\/+$/, '') + path + after),
  };
}

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
