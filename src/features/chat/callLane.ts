import type { CallToolResult } from '@modelcontextprotocol/client';
import type * as vscode from 'vscode';
import { Queue } from '../../base/queue';
import type { ContentPart } from '../languageModel';
import type { TurnChat } from './answerLines';
import type { RefusedSkill } from './skillReader';

type Call = vscode.LanguageModelToolCallPart;

export interface CallOutcome {
  readonly id: string;
  readonly name: string;
  readonly serverId?: string;
  readonly parts: readonly ContentPart[];
  /** How long the server took, in milliseconds. */
  readonly ms?: number;
  /** The result links to resources of the server. */
  readonly links?: boolean;
  readonly app?: vscode.Command | undefined;
  /** A skill that it asked for and did not get. */
  readonly refused?: RefusedSkill | undefined;
  /** The model repeats this call despite a warning. */
  readonly loops?: boolean;
  /** Whether the person or one of their rules denied it. */
  readonly isDenied?: boolean;
  readonly result?: CallToolResult;
  /** The calls that a script has made. */
  readonly inner?: readonly CallOutcome[];
}

/** An approved call, or the outcome of one that is not made. */
export type PreparedCall =
  | { run: (chat: TurnChat) => Promise<CallOutcome>; reads: boolean }
  | { run?: undefined; outcome: CallOutcome };

const MAX_AT_ONCE = 8;

/** Makes calls in order, asking for approvals one after the other. Read-only calls run in parallel, others alone. */
export class CallLane {
  readonly outcomes: CallOutcome[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** Closed by the first call that cannot be prepared: none is begun after it. */
  readonly #turns = new Queue({ refused: () => new Error('A call before this one has failed.') });

  constructor(
    private readonly prepare: (call: Call) => Promise<PreparedCall>,
    private readonly chat: TurnChat,
  ) {}

  /** Makes a call after those that were added before. */
  async add(call: Call): Promise<CallOutcome> {
    const begun = await this.#turns.run(() =>
      this.#begin(call).catch(error => {
        this.#turns.dispose();
        throw error;
      }),
    );
    return begun.outcome;
  }

  /** Resolves when all calls added so far have ended. Never rejects. */
  async idle(): Promise<void> {
    await Promise.allSettled([this.#turns.run(async () => {})]);
    await Promise.allSettled(this.#running);
  }

  /** Resolves when the next call may begin, which a promise of a promise would not. */
  async #begin(call: Call): Promise<{ readonly outcome: Promise<CallOutcome> | CallOutcome }> {
    const prepared = await this.prepare(call);
    if (!prepared.run) {
      this.outcomes.push(prepared.outcome);
      return { outcome: prepared.outcome };
    }
    if (!prepared.reads) await Promise.all(this.#running);
    const outcome = this.#run(prepared.run);
    this.#running.add(outcome);
    const done = () => this.#running.delete(outcome);
    outcome.then(done, done);
    if (!prepared.reads) await outcome;
    else if (this.#running.size >= MAX_AT_ONCE) await Promise.race(this.#running);
    return { outcome };
  }

  async #run(run: (chat: TurnChat) => Promise<CallOutcome>): Promise<CallOutcome> {
    const outcome = await run(this.chat);
    this.outcomes.push(outcome);
    return outcome;
  }
}
