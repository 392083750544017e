import type { RequestWatch, WatchedSession } from '../../../host/definition';
import { type ExportOptions, ExportProgram } from './exportProgram';
import { SessionSpans } from './sessionSpans';

interface ReportingOptions extends ExportOptions {
  /** Whether content goes along: see `TelemetrySettings`. */
  readonly content: boolean;
}

/** Reports the requests of all sessions to one receiver, from now on. */
export class Reporting {
  readonly #sessions = new WeakMap<WatchedSession, SessionSpans>();
  readonly #program: ExportProgram;

  constructor(private readonly options: ReportingOptions) {
    this.#program = new ExportProgram(options);
  }

  /** Process id of the program that sends reports, while it runs. */
  get pid(): number | undefined {
    return this.#program.pid;
  }

  /** Whether the program has read all that it is to send. */
  get isIdle(): boolean {
    return this.#program.isIdle;
  }

  watch(session: WatchedSession): RequestWatch {
    let spans = this.#sessions.get(session);
    if (!spans) {
      const program = this.#program;
      spans = new SessionSpans(session, {
        content: this.options.content,
        ended: ended => program.push(ended),
        lost: () => program.lose(),
      });
      this.#sessions.set(session, spans);
    }
    return spans;
  }

  /** Sends what is left. Resolves when no process is left, after a few seconds at most. */
  close(): Promise<void> {
    return this.#program.finish();
  }
}
