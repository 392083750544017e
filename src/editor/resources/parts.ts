import * as vscode from 'vscode';
import { rowText } from '../completion/rowText';
import { formatSize } from '../size';
import type { ContentPart } from './content';

const { t } = vscode.l10n;

/** Which of several contents is meant. Undefined when the person gave up. */
export async function pickPart<T extends Pick<ContentPart, 'name'> & Partial<ContentPart>>(
  of: string,
  parts: readonly T[],
): Promise<T | undefined> {
  const items = parts.map(part => ({
    label: rowText(part.name),
    description: [part.mimeType && rowText(part.mimeType, 60), part.bytes && formatSize(part.bytes.length)]
      .filter(Boolean)
      .join(' · '),
    ...(part.uri !== undefined && { detail: rowText(part.uri, 300) }),
    iconPath: vscode.ThemeIcon.File,
    part,
  }));
  const options = { title: of, placeHolder: t('{0} contents. Open which one?', parts.length), matchOnDetail: true };
  return (await vscode.window.showQuickPick(items, options))?.part;
}
