import { isObject } from '../../../base/isObject';

const BRIDGE = /[\\/]\.mcp-host[\\/]bridge\.js$/;

/** Whether an entry of another host starts our own bridge: as a server of ours it would lead back to us. */
export function isOwnBridge(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const words = [entry.command, entry.args].flat();
  return words.some(word => typeof word === 'string' && BRIDGE.test(word));
}
