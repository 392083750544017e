import vscode = require('vscode');

import { formatSize } from '../../base/numberText';
import { plain, rowText } from '../../base/text';
import { joined, t, window } from '../../editor/window';
import type { ResourcePart } from './core/resourceContent';

/** Asks which of several contents is meant. Undefined when the person gave up. */
export async function pickPart<T extends Pick<ResourcePart, 'name'> & Partial<ResourcePart>>(
  of: string,
  parts: readonly T[],
): Promise<T | undefined> {
  const items = parts.map(part => ({
    label: rowText(part.name),
    description: joined(
      [rowText(part.mimeType ?? '', 60), part.bytes && rowText(formatSize(part.bytes.length))],
      ' · ',
    ),
    ...(part.uri !== undefined && { detail: rowText(part.uri, 300) }),
    iconPath: vscode.ThemeIcon.File,
    part,
  }));
  const options = {
    title: plain(of),
    placeHolder: t('{0} contents. Which one do you want to open?', parts.length),
    matchOnDetail: true,
  };
  return (await window.showQuickPick(items, options))?.part;
}
