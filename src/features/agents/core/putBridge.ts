import { readBounded, replaceFile } from '../../../base/files';
import { bridgeIn, cardFolder } from './bridge/windowCards';

const MAX_BRIDGE_BYTES = 1024 * 1024;

/**
 * Puts the bridge where agents find it, as the folder of an extension has another name with each version.
 * Rejects if the folder is not of this person alone.
 */
export async function putBridge(from: string, home: string): Promise<void> {
  cardFolder(home);
  const at = bridgeIn(home);
  const text = await readBounded(from, MAX_BRIDGE_BYTES);
  const before = await readBounded(at, MAX_BRIDGE_BYTES).catch(() => undefined);
  if (before !== text) await replaceFile(at, text, 0o600);
}
