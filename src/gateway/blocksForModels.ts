import { type FoundBytes, withoutBytes } from '../base/bytesInText';
import { indentedJson, isObject } from '../base/json';
import { interfaceIn, interfaceInWords } from '../base/userInterface';
import { changed } from './drawnBlocks';
import { blockForModels } from './formsForModels';

/**
 * A content block with the members of its type, whose text has no bytes. Its own data stays: models do not get it as text. A block of an
 * unknown type becomes its JSON, as clients leave it out.
 */
export function blockWithoutBytes<T>(block: T, note?: (found: FoundBytes) => string): T {
  if (!isObject(block)) return block;
  const shown = interfaceIn(block);
  if (shown) return { type: 'text', text: interfaceInWords(shown) } as T;
  const known = blockForModels(block) ?? { type: 'text', text: indentedJson(block) };
  const { text, resource } = known;
  if (typeof text === 'string') return changed(known, 'text', withoutBytes(text, note)) as T;
  if (!isObject(resource) || typeof resource.text !== 'string') return known as T;
  return changed(known, 'resource', changed(resource, 'text', withoutBytes(resource.text, note))) as T;
}
