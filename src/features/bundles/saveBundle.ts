import { join, resolve } from 'node:path';
import { indentedJson } from '../../base/json';

import vscode = require('vscode');

import { readBounded } from '../../base/files';
import { formatSize } from '../../base/numberText';
import { visible } from '../../base/text';
import { withProgress } from '../../editor/dialogs';
import { errorText } from '../../editor/errorText';
import { t, verbatim, window } from '../../editor/window';
import type { ServerDefinition } from '../../host/definition';
import { askWhole } from '../review';
import { LIMITS } from './core/bundleLimits';
import { readManifest } from './core/manifest';
import { authoredManifest, bundledFolder, filesToPack, packBundle } from './core/packBundle';

/** *Save as Bundle…*: packs the project of a server that a person writes, so that others can install it. */
export async function saveBundle({ name, reviewed, inputs }: ServerDefinition): Promise<void> {
  const shown = visible(name, 60);
  try {
    if (reviewed?.type !== 'stdio') return;
    const place = bundledFolder(reviewed);
    const own = await json(join(place.folder, 'manifest.json'));
    const project = await json(join(place.folder, 'package.json'));
    const manifest = own ?? authoredManifest(reviewed, place, inputs?.definitions ?? [], { name, project });
    const { version } = readManifest(JSON.stringify(manifest));
    const files = await withProgress(t('Looking at the files of "{0}"…', shown), signal =>
      filesToPack(place.folder, signal, reviewed.envFile && resolve(reviewed.cwd ?? place.folder, reviewed.envFile)),
    );
    if (!files) return;
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const save = t('Save…');
    const answer = await askWhole({
      title: t('Bundle {0}', shown),
      question: t('Save "{0}" as a bundle?', shown),
      notes: [
        t('{0} files of {1}, {2} in all', files.length, place.folder, formatSize(bytes)),
        t(
          'Left out: what begins with a dot, variables, keys, logs, links. All else is packed, also packages for development.',
        ),
      ],
      content: { json: indentedJson(manifest) },
      allow: [save],
      others: [t('Cancel')],
    });
    if (answer !== save) return;
    const target = await vscode.window.showSaveDialog({
      title: t('Save as Bundle'),
      filters: { [t('MCP bundles')]: ['mcpb'] },
      defaultUri: vscode.Uri.file(join(place.folder, `${name.replace(/[^\w.-]+/g, '-')}-${version}.mcpb`)),
    });
    if (target?.scheme !== 'file') return;
    const size = await withProgress(t('Packing "{0}"…', shown), signal =>
      packBundle(manifest, files, target.fsPath, signal),
    );
    if (size !== undefined) void window.showInformationMessage(t('Saved {0} ({1}).', target.fsPath, formatSize(size)));
  } catch (error) {
    throw new Error(verbatim('The server "{0}" was not saved as a bundle: {1}.', shown, errorText(error, 300)));
  }
}

/** Undefined when there is no such file. */
async function json(path: string): Promise<Record<string, unknown> | undefined> {
  const text = await readBounded(path, LIMITS.manifestBytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : JSON.parse(text);
}
