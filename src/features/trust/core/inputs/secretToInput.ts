import { applyEdits, type Edit, getNodeValue } from 'jsonc-parser';
import { findPlainSecrets, type InputDefinition, parseServers } from '../../../../host/settings';
import { difference, findNode, findSetting, type LocateOptions, newInput } from '../../../settings';

/** What moves a secret out of a settings file. */
interface SecretMove {
  /** As it is written into the file. */
  input: InputDefinition;
  /** The secret. */
  value: string;
  /** Of the text given. Comments and formatting elsewhere stay. */
  edit: Edit;
}

/**
 * How the secret in the string at `path` (below `mcpHost.servers`) is replaced by `${input:server-name}`, and the input
 * added to `mcpHost.inputs`. Undefined when there is no secret any more, or `mcpHost.inputs` is not a list.
 */
export function moveSecretToInput(
  text: string,
  path: readonly (string | number)[],
  options: LocateOptions,
): SecretMove | undefined {
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
