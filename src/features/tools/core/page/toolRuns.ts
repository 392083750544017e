import type { CallToolResult, Progress } from '@modelcontextprotocol/client';
import { Emitter } from '../../../../base/events';
import type { Phrase } from '../../../../base/phrase';

/** How a call ended. `unknown`: its result was too much to keep. */
export type RunEnd =
  | { readonly kind: 'result'; readonly result: CallToolResult; readonly problem: Phrase | undefined }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'forgotten'; readonly isError: boolean };

/** A call that was made from a page. */
export interface ToolRun {
  readonly id: number;
  readonly args: Readonly<Record<string, unknown>>;
  /** `Date.now()`. */
  readonly at: number;
  /** Cancels it while it runs. */
  readonly cancel: () => void;
  progress?: Progress;
  end?: RunEnd;
  /** How long it took. */
  ms?: number;
}

const MAX_RUNS = 20;
/** Of all results that are kept, in characters. */
const MAX_KEPT = 100_000_000;

/**
 * The last calls of each tool, newest first, for as long as the window lives: a call goes on when its page is closed, and the
 * next page of the tool has it.
 */
export class ToolRuns {
  readonly #changed = new Emitter<{ readonly key: string; readonly run: ToolRun }>();
  readonly onDidChange = this.#changed.event;
  readonly #runs = new Map<string, ToolRun[]>();
  /** Results that are kept, the oldest first. */
  readonly #kept = new Map<ToolRun, number>();
  #count = 0;

  of(key: string): readonly ToolRun[] {
    return this.#runs.get(key) ?? [];
  }

  find(key: string, id: number): ToolRun | undefined {
    return this.of(key).find(run => run.id === id);
  }

  /** The one that has not ended yet. */
  running(key: string): ToolRun | undefined {
    return this.of(key).find(({ end }) => !end);
  }

  begin(key: string, args: ToolRun['args'], cancel: () => void): ToolRun {
    const run: ToolRun = { id: ++this.#count, args, at: Date.now(), cancel };
    const all = [run, ...this.of(key)];
    for (const old of all.splice(MAX_RUNS)) this.#kept.delete(old);
    this.#runs.set(key, all);
    this.#changed.fire({ key, run });
    return run;
  }

  report(key: string, run: ToolRun, progress: Progress): void {
    run.progress = progress;
    this.#changed.fire({ key, run });
  }

  end(key: string, run: ToolRun, end: RunEnd, ms: number): void {
    run.end = end;
    run.ms = ms;
    if (end.kind === 'result') this.#keep(run, end.result);
    this.#changed.fire({ key, run });
  }

  #keep(run: ToolRun, result: CallToolResult): void {
    this.#kept.set(run, sizeOf(result));
    let size = [...this.#kept.values()].reduce((sum, one) => sum + one, 0);
    for (const [old, its] of this.#kept) {
      // The newest stays, whatever its size: someone is about to look at it.
      if (size <= MAX_KEPT || old === run) return;
      if (old.end?.kind === 'result') old.end = { kind: 'forgotten', isError: old.end.result.isError === true };
      this.#kept.delete(old);
      size -= its;
    }
  }
}

function sizeOf(result: CallToolResult): number {
  try {
    return JSON.stringify(result).length;
  } catch {
    return 0;
  }
}
