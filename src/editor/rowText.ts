import { type RowText, visible } from '../base/text';

/** Text from a server for a row of a quick pick, where `$(name)` would become an icon. */
export function rowText(text: unknown, maxLength = 200): RowText {
  return withoutIcons(visible(text, maxLength));
}

/** Text for a place where the editor makes icons of `$(name)`: rows, buttons, the status bar, lenses. */
export function withoutIcons(text: string): RowText {
  return text.replace(/\$\((?=[A-Za-z0-9-]+(~[A-Za-z]+)?\))/g, '\\$(') as RowText;
}
