import vscode = require('vscode');

import { serverOf } from '../../editor/pickServer';
import { t, verbatim } from '../../editor/window';
import { fileSource } from './core/traceFile';
import type { TraceRow } from './core/traceRows';
import { LiveTrace } from './core/traceSource';
import { liveActions, readOnlyActions } from './panelActions';
import { chooseTraceFile, fileName, openTrace, TraceBodies } from './traceFiles';
import { TracePanel } from './tracePanel';

interface TraceServices extends Pick<Parameters<typeof liveActions>[0], 'editOnPage' | 'servers' | 'trust'> {
  readonly extensionUri: vscode.Uri;
}

/** The protocol trace: a table of the messages between servers and the editor. */
export class Trace implements vscode.Disposable {
  readonly #bodies = new TraceBodies();
  readonly #files = new Set<TracePanel>();
  #live: TracePanel | undefined;
  /** Kept when its tab is closed: it knows what the person has marked. */
  readonly #source: LiveTrace;

  constructor(private readonly services: TraceServices) {
    this.#source = new LiveTrace(services.servers);
  }

  dispose(): void {
    this.#live?.dispose();
    for (const panel of this.#files) panel.dispose();
    this.#source.dispose();
    this.#bodies.dispose();
  }

  show(argument: unknown): void {
    if (!this.#live) {
      const { extensionUri } = this.services;
      const source = this.#source;
      const revealNext = (fits: (row: TraceRow) => boolean) => this.#live?.revealNext(fits);
      const actions = liveActions({ ...this.services, source, bodies: this.#bodies, revealNext });
      this.#live = new TracePanel({ extensionUri, source, actions, title: t('Protocol Trace'), isFile: false });
      this.#live.onDidDispose(() => {
        this.#live = undefined;
      });
    }
    this.#live.show(serverOf(argument)?.id);
  }

  /** @param argument the file, if a command names one; otherwise the person chooses. */
  async openFile(argument: unknown): Promise<void> {
    const uri = argument instanceof vscode.Uri ? argument : await chooseTraceFile();
    if (!uri) return;
    const { skipped, ...file } = await openTrace(uri);
    const source = fileSource(file);
    const panel = new TracePanel({
      extensionUri: this.services.extensionUri,
      source,
      actions: readOnlyActions(source, this.#bodies),
      title: verbatim('{0} (trace file)', fileName(uri)),
      isFile: true,
      ...(skipped > 0 && { note: t('{0} lines of the file are not messages', skipped) }),
    });
    this.#files.add(panel);
    panel.onDidDispose(() => this.#files.delete(panel));
  }
}
