import vscode = require('vscode');

import type { CommandHandlers } from '../../editor/commands';
import { t, verbatim } from '../../editor/window';
import type { ServerSet } from '../../host';
import { serverOf } from '../servers';
import type { EditOnPage } from '../tools';
import type { Trust } from '../trust';
import { FileTrace, LiveTrace } from './core/traceSource';
import { LiveActions, readOnlyActions, SendAgain } from './panelActions';
import { chooseTraceFile, fileName, openTrace, TraceBodies } from './traceFiles';
import { TracePanel } from './tracePanel';

interface TraceServices {
  readonly servers: ServerSet;
  readonly trust: () => Trust;
  /** Where a message is edited before it is sent again. */
  readonly editOnPage: EditOnPage;
  readonly extensionUri: vscode.Uri;
}

/** The protocol trace: a table of the messages between servers and the editor. */
export class Trace implements vscode.Disposable {
  readonly commands = {
    showTrace: argument => this.#show(serverOf(argument)?.id),
    openTraceFile: argument => this.#openFile(argument),
  } satisfies Partial<CommandHandlers>;
  readonly #bodies = new TraceBodies();
  readonly #sendAgain: SendAgain;
  readonly #files = new Set<TracePanel>();
  #live: TracePanel | undefined;
  /** Kept when its tab is closed: it knows what the person has marked. */
  readonly #source: LiveTrace;

  constructor(private readonly services: TraceServices) {
    this.#source = new LiveTrace(services.servers);
    this.#sendAgain = new SendAgain(services.trust, services.editOnPage);
  }

  dispose(): void {
    this.#live?.dispose();
    for (const panel of this.#files) panel.dispose();
    this.#source.dispose();
    this.#bodies.dispose();
  }

  #show(server: string | undefined): void {
    const { servers, extensionUri } = this.services;
    if (!this.#live) {
      const source = this.#source;
      const actions = new LiveActions({
        servers,
        source,
        bodies: this.#bodies,
        sendAgain: this.#sendAgain,
        revealNext: fits => this.#live?.revealNext(fits),
      });
      this.#live = new TracePanel({ extensionUri, source, actions, title: t('Protocol Trace'), isFile: false });
      this.#live.onDidDispose(() => {
        this.#live = undefined;
      });
    }
    this.#live.show(server);
  }

  /** @param argument the file, if a command names one; otherwise the person chooses. */
  async #openFile(argument: unknown): Promise<void> {
    const uri = argument instanceof vscode.Uri ? argument : await chooseTraceFile();
    if (!uri) return;
    const { records, callers, marks, skipped } = await openTrace(uri);
    const source = new FileTrace(records, callers, marks);
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
