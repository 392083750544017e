import { Owner } from '../../base/events';
import { readBounded } from '../../base/files';
import { formatSize } from '../../base/numberText';
import { visible, visibleJsonText } from '../../base/text';
import { Turns } from '../../base/turns';
import { askWhereToSave, withProgress } from '../../editor/dialogs';
import { TextDocuments } from '../../editor/textDocuments';
import { t, verbatim } from '../../editor/window';
import { spreadJson } from '../resources';
import { MAX_FILE_SIZE, readTraceFile, type TraceFile, traceLines } from './core/traceFile';
import type { TraceSource } from './core/traceSource';

import vscode = require('vscode');

/** Of the extension host: striking secrets out of large messages takes long. */
const TURN_MS = 50;

/** Asks for a file and writes all messages to it, without secrets. Resolves with the file, unless the person cancels. */
export async function exportTrace(source: TraceSource): Promise<vscode.Uri | undefined> {
  const name = `mcp-trace-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.jsonl`;
  const destination = await askWhereToSave(t('Export Protocol Trace'), name, { [t('JSON Lines')]: ['jsonl'] });
  if (!destination) return undefined;
  return withProgress(t('Exporting the trace…'), async signal => {
    const chunks: Buffer[] = [];
    const lines = traceLines(
      source.records(),
      record => source.readable(record),
      record => ({ caller: source.callerOf(record), ...source.marks.of(record.seq) }),
    );
    const turns = new Turns(TURN_MS);
    for (const line of lines) {
      chunks.push(Buffer.from(line));
      if (turns.isOver) await turns.next();
      signal.throwIfAborted();
    }
    await vscode.workspace.fs.writeFile(destination, Buffer.concat(chunks));
    return destination;
  });
}

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

/** JSON over lines, with hidden characters as escapes. */
export const readableJson = (text: string) => visibleJsonText(spreadJson(text));

export const fileName = ({ path }: vscode.Uri) => visible(path.slice(path.lastIndexOf('/') + 1));

/** Scheme of the read-only documents of messages. */
const TRACE_SCHEME = 'mcp-trace';

interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Messages as read-only JSON documents, for the folding, search and comparison of editors. */
export class TraceBodies extends Owner {
  readonly #documents = this.own(new TextDocuments(TRACE_SCHEME));

  /** @param name of the tab, without extension. May be text from a server. */
  async show(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.#add({ name, text }), { preview: true });
  }

  /** Shows how two differ. */
  async compare(left: NamedText, right: NamedText): Promise<void> {
    const title = `${left.name} ↔ ${right.name}`;
    await vscode.commands.executeCommand('vscode.diff', this.#add(left), this.#add(right), title);
  }

  #add({ name, text }: NamedText): vscode.Uri {
    const plain = name.replace(/[^\w.@-]+/g, ' ').trim();
    return this.#documents.add(`${plain.slice(0, 80) || 'message'}.json`, readableJson(text));
  }
}
