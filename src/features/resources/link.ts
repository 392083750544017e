import vscode = require('vscode');

import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import { labelOf } from './core/folders';
import type { ResourceTarget } from './target';
import { resourceUri } from './uri';

/**
 * A markdown link that opens the resource in the editor. Its target is the `mcp:` URI. The server's own URI is at best
 * understood only by the server, and at worst an address that the server wants to have opened.
 */
export function markdownLink(target: ResourceTarget): string {
  const label = target.part ?? labelOf(target.resource);
  return `[${escapeLabel(visible(label))}](${fileOf(target).toString()})`;
}

/** The editor's URI of a target. */
export function fileOf({ server, resource, part }: ResourceTarget): vscode.Uri {
  return resourceUri(server.id, resource, part);
}

/** On one line, and with nothing in it that counts as markup or a snippet. */
export function escapeLabel(label: string): string {
  return label.replace(/[\\`*_[\]<>&|~$!#]/g, character => `\\${character}`);
}

/** "Copy as Markdown Link". */
export async function copyLink(target: ResourceTarget): Promise<void> {
  await vscode.env.clipboard.writeText(markdownLink(target));
  window.setStatusBarMessage(t('Copied a link'), 2_000);
}
