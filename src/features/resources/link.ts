import vscode = require('vscode');

import { visible } from '../../base/text';
import { t, window } from '../../editor/window';
import { labelOf } from './core/folders';
import type { ResourceTarget } from './target';
import { resourceUri } from './uri';

/**
 * A markdown link that opens the resource in the editor. Its target is the `mcp:` URI, not the server's own, which nothing
 * but the server understands at best, and at worst is an address that the server would like to have opened.
 */
export function markdownLink(target: ResourceTarget): string {
  const label = target.part ?? labelOf(target.resource);
  return `[${escapeLabel(visible(label))}](${fileOf(target).toString()})`;
}

/** The editor's URI of a target. */
export function fileOf({ server, resource, part }: ResourceTarget): vscode.Uri {
  return resourceUri(server.id, resource, part);
}

/** As a snippet-free text of one line: nothing in it is markup. */
export function escapeLabel(label: string): string {
  return label.replace(/[\\`*_[\]<>&|~$!#]/g, character => `\\${character}`);
}

/** "Copy as Markdown Link". */
export async function copyLink(target: ResourceTarget): Promise<void> {
  await vscode.env.clipboard.writeText(markdownLink(target));
  window.setStatusBarMessage(t('Copied a link'), 2_000);
}
