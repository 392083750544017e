import type { Disposable } from '../../base/events';

/** Something for the person to decide. Nothing in its texts is markup. */
export interface ChatQuestion {
  readonly text: string;
  /** The texts to decide about, with hidden characters made visible: who says what. */
  readonly quotes?: readonly { readonly by: string; readonly text: string }[];
  /** Everything else to decide about. */
  readonly json?: string;
  /** Said below that. */
  readonly note?: string;
  /** In order: the answer that each gives, and its title. */
  readonly buttons: readonly (readonly [answer: string, title: string])[];
}

/**
 * The answer of a chat turn while its tool calls run. The person is looking there, so questions that the calls cause are
 * asked there.
 */
export interface CallChat {
  /** Aborted when the person stops the turn: the results of its calls are no longer wanted. */
  readonly stopped: AbortSignal;
  /** Aborted when its calls have ended: nothing can be asked here any more, and open questions move elsewhere. */
  readonly over: AbortSignal;
  /** Shows one line. Like `ask`, does nothing after the calls have ended. */
  say(text: string): void;
  /** Asks until the returned handle is disposed: several buttons can be pressed in turn. */
  ask(question: ChatQuestion, onAnswer: (answer: string) => void): Disposable;
}
