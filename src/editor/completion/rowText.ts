import { visible } from '../../host/text';

/** Text of a server for a row of a quick pick, where `$(name)` would become an icon. */
export function rowText(text: unknown, maxLength = 200): string {
  return visible(text, maxLength).replace(/\$\((?=[A-Za-z0-9-]+(~[A-Za-z]+)?\))/g, '\\$(');
}
