import vscode = require('vscode');

import { readBounded } from '../../base/files';
import { formatSize } from '../../base/numberText';
import { visible } from '../../base/text';
import { t, verbatim } from '../../editor/window';
import { MAX_FILE_SIZE, readTraceFile, type TraceFile, traceLines } from './core/traceFile';
import type { TraceSource } from './core/traceSource';

/** Asks for a file and writes all messages to it, without secrets. Resolves with the file, if the person chose one. */
export async function exportTrace(source: TraceSource): Promise<vscode.Uri | undefined> {
  const name = `mcp-trace-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.jsonl`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const destination = await vscode.window.showSaveDialog({
    title: t('Export Protocol Trace'),
    filters: { [t('JSON Lines')]: ['jsonl'] },
    ...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
  });
  if (!destination) return undefined;
  const chunks: Buffer[] = [];
  const lines = traceLines(
    source.records(),
    record => source.readable(record),
    record => ({ caller: source.callerOf(record), ...source.marks.of(record.seq) }),
  );
  for (const line of lines) {
    chunks.push(Buffer.from(line));
    if (chunks.length % 200 === 0) await new Promise(resolve => setImmediate(resolve));
  }
  await vscode.workspace.fs.writeFile(destination, Buffer.concat(chunks));
  return destination;
}

/** Lets the person choose an exported trace. */
export async function chooseTraceFile(): Promise<vscode.Uri | undefined> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: t('Open a Protocol Trace'),
      openLabel: t('Open'),
      filters: { [t('JSON Lines')]: ['jsonl'], [t('All files')]: ['*'] },
    })) ?? [];
  return file;
}

/** Reads an exported trace. Rejects with a sentence for the person. */
export async function openTrace(uri: vscode.Uri): Promise<TraceFile> {
  const name = fileName(uri);
  const notATrace = verbatim('{0} was not opened: it was not written by "Export as JSON Lines".', name);
  const { size, type } = await vscode.workspace.fs.stat(uri);
  // A device or a pipe would never end.
  if (!(type & vscode.FileType.File)) throw new Error(notATrace);
  if (size > MAX_FILE_SIZE) {
    throw new Error(
      verbatim(
        '{0} was not opened: it is {1}, and a trace can be at most {2}.',
        name,
        formatSize(size),
        formatSize(MAX_FILE_SIZE),
      ),
    );
  }
  const text =
    uri.scheme === 'file'
      ? await readBounded(uri.fsPath, MAX_FILE_SIZE)
      : Buffer.from(await vscode.workspace.fs.readFile(uri)).toString();
  try {
    return readTraceFile(text);
  } catch {
    throw new Error(notATrace);
  }
}

/** The last part of its path, for people. */
export const fileName = ({ path }: vscode.Uri) => visible(path.slice(path.lastIndexOf('/') + 1));
