import * as vscode from 'vscode';
import { plain } from '../../host/text';
import { rowText } from '../completion/rowText';
import { formatSize } from '../size';
import { joined, t, window } from '../window';
import type { ContentPart } from './content';

/** Which of several contents is meant. Undefined when the person gave up. */
export async function pickPart<T extends Pick<ContentPart, 'name'> & Partial<ContentPart>>(
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
    placeHolder: t('{0} contents. Open which one?', parts.length),
    matchOnDetail: true,
  };
  return (await window.showQuickPick(items, options))?.part;
}
