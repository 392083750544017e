import { applyEdits, type Edit, getNodeValue, modify } from 'jsonc-parser';
import type { InputDefinition, SettingsReading } from '../../../../host';
import {
  difference,
  findNode,
  findSetting,
  formattingOf,
  freeId,
  type LocateOptions,
  settingPath,
} from '../../../settings';

/** What moves a secret out of a settings file. */
export interface SecretMove {
  /** As it is written into the file. */
  input: InputDefinition;
  /** The secret. */
  value: string;
  /** Of the text given. Comments and formatting elsewhere stay. */
  edit: Edit;
}

/**
 * How the secret in the string at `path` (below `mcpHost.servers`) is replaced by `${input:server-name}`, and the input
 * added to `mcpHost.inputs`. Undefined when there is no secret any more, or `mcpHost.inputs` is not a list. How
 * settings are read is given by the caller, who has it in another bundle.
 */
export function moveSecretToInput(
  text: string,
  path: readonly (string | number)[],
  options: LocateOptions,
  { findPlainSecrets, parseInputs, parseServers }: SettingsReading,
): SecretMove | undefined {
  const found = findSetting(text, options);
  const node = found && findNode(found, path);
  if (!found || node?.type !== 'string') return undefined;
  const { servers } = parseServers(getNodeValue(found));
  const server = servers.find(({ path: at }) => at.every((key, index) => key === path[index]));
  const secret = server && findPlainSecrets(server).find(({ path: at }) => String(at) === String(path));
  if (!secret) return undefined;
  const { name, value, index } = secret;

  const inputsNode = findSetting(text, { ...options, setting: 'inputs' });
  if (inputsNode && inputsNode.type !== 'array') return undefined;
  const known = parseInputs(inputsNode && getNodeValue(inputsNode)).inputs;
  const id = freeId(`${server.name}-${name}`, known);
  const raw = {
    type: 'promptString',
    id,
    description: `${name} of the MCP server ${server.name}`,
    password: true,
  };
  const input = parseInputs([raw]).inputs.get(id)!;
  const written = node.value as string;
  const start = written.indexOf(value, index); // reading may have left out spaces before it
  const content = JSON.stringify(`${written.slice(0, start)}\${input:${id}}${written.slice(start + value.length)}`);
  const replaced = applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
  // One after the other: what is added may bring the lines around it into shape.
  const added = modify(replaced, [...settingPath(text, 'inputs', options), inputsNode?.children?.length ?? 0], raw, {
    isArrayInsertion: true,
    formattingOptions: formattingOf(text),
  });
  return { input, value, edit: difference(text, applyEdits(replaced, added)) };
}
