import type { CallToolResult, GetPromptResult, Progress, ReadResourceResult } from '@modelcontextprotocol/client';
import { attempt } from '../../../base/errors';
import { Emitter } from '../../../base/events';
import { isObject, parsedJson } from '../../../base/json';
import type { Phrase } from '../../../base/phrase';
import { hasKnownToken, isSecretName } from '../../../base/secretWords';

export type RunResult = CallToolResult | GetPromptResult | ReadResourceResult;

/** How a run ended. `forgotten`: its result was too much to keep. */
export type RunEnd =
  | { readonly kind: 'result'; readonly result: RunResult; readonly problem: Phrase | undefined }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'forgotten'; readonly isError: boolean };

export interface ItemRun {
  readonly id: number;
  readonly args: Readonly<Record<string, unknown>>;
  /** `Date.now()`. */
  readonly at: number;
  readonly cancel: () => void;
  progress?: Progress;
  end?: RunEnd;
  ms?: number;
}

const MAX_RUNS = 20;
/** The total length of kept results, in characters. */
const MAX_KEPT = 100_000_000;

/** Whether a tool says that it has failed. */
export const isFailed = (result: RunResult): boolean => result.isError === true;

/** The last runs of each page, newest first. A run goes on when its page is closed, and the next page has it. */
export class ItemRuns {
  readonly #changed = new Emitter<{ readonly key: string; readonly run: ItemRun }>();
  readonly onDidChange = this.#changed.event;
  readonly #runs = new Map<string, ItemRun[]>();
  /** Results that are kept, the oldest first. */
  readonly #kept = new Map<ItemRun, number>();
  #count = 0;

  of(key: string): readonly ItemRun[] {
    return this.#runs.get(key) ?? [];
  }

  find(key: string, id: number): ItemRun | undefined {
    return this.of(key).find(run => run.id === id);
  }

  /** The one that has not ended yet. */
  running(key: string): ItemRun | undefined {
    return this.of(key).find(({ end }) => !end);
  }

  begin(key: string, args: ItemRun['args'], cancel: () => void): ItemRun {
    const run: ItemRun = { id: ++this.#count, args, at: Date.now(), cancel };
    const all = [run, ...this.of(key)];
    for (const old of all.splice(MAX_RUNS)) this.#kept.delete(old);
    this.#runs.set(key, all);
    this.#changed.fire({ key, run });
    return run;
  }

  report(key: string, run: ItemRun, progress: Progress): void {
    run.progress = progress;
    this.#changed.fire({ key, run });
  }

  end(key: string, run: ItemRun, end: RunEnd, ms: number): void {
    run.end = end;
    run.ms = ms;
    if (end.kind === 'result') this.#keep(run, end.result);
    this.#changed.fire({ key, run });
  }

  #keep(run: ItemRun, result: RunResult): void {
    this.#kept.set(run, sizeOf(result));
    let size = [...this.#kept.values()].reduce((sum, one) => sum + one, 0);
    for (const [old, its] of this.#kept) {
      // The newest stays, whatever its size: someone is about to look at it.
      if (size <= MAX_KEPT || old === run) return;
      if (old.end?.kind === 'result') old.end = { kind: 'forgotten', isError: isFailed(old.end.result) };
      this.#kept.delete(old);
      size -= its;
    }
  }
}

const sizeOf = (result: RunResult): number => attempt(() => JSON.stringify(result).length, 0);

type Arguments = Record<string, unknown>;

/** In characters of JSON. */
const MAX_LENGTH = 64 * 1024;

/**
 * The arguments that a page keeps over a reload of the window, as JSON: without those that are secrets by their name or value.
 * Undefined if there are too many.
 * @param redact strikes out the secrets of the server.
 */
export function keptArguments(args: Arguments, redact: (text: string) => string): string | undefined {
  const isSecret = (value: unknown) => typeof value === 'string' && (hasKnownToken(value) || redact(value) !== value);
  const text = JSON.stringify(args, (name, value: unknown) =>
    isSecretName(name) || isSecret(value) ? undefined : value,
  );
  return text.length <= MAX_LENGTH ? text : undefined;
}

/** Reads them again. Undefined if there are none. */
export function readKeptArguments(kept: unknown): Arguments | undefined {
  const args = parsedJson(String(kept));
  return isObject(args) ? args : undefined;
}
