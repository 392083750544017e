import { applyEdits, getNodeValue, modify } from 'jsonc-parser';
import { type InputDefinition, parseInputs } from '../../../host/settings';
import { findSetting, type LocateOptions } from './locateSetting';
import { formattingOf, freeId, settingPath } from './settingsEdit';

/** An input that is not in the settings yet. */
interface NewInput {
  readonly input: InputDefinition;
  /** Adds it to the text, in which other places may have changed. Comments and formatting elsewhere stay. */
  addTo(text: string): string;
}

/**
 * An input for a secret of a server, with an id that no other has. Undefined when `mcpHost.inputs` is no list.
 */
export function newInput(text: string, server: string, what: string, options: LocateOptions): NewInput | undefined {
  const node = findSetting(text, { ...options, setting: 'inputs' });
  if (node && node.type !== 'array') return undefined;
  const known = parseInputs(node && getNodeValue(node)).inputs;
  const id = freeId(`${server}-${what}`, known);
  const raw = { type: 'promptString', id, description: `${what} of the MCP server ${server}`, password: true };
  const input = parseInputs([raw]).inputs.get(id);
  if (!input) return undefined;
  const addTo = (changed: string): string => {
    const path = [...settingPath(changed, 'inputs', options), node?.children?.length ?? 0];
    const formattingOptions = formattingOf(changed);
    return applyEdits(changed, modify(changed, path, raw, { isArrayInsertion: true, formattingOptions }));
  };
  return { input, addTo };
}
