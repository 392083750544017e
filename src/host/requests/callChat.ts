import type { Disposable } from '../../base/events';

/** Something that a person is to decide. Nothing in its texts is markup. */
export interface ChatQuestion {
  readonly text: string;
  /** What is decided on, with hidden characters made visible: who says what. */
  readonly quotes?: readonly { readonly by: string; readonly text: string }[];
  /** What else is decided on. */
  readonly json?: string;
  /** Said below that. */
  readonly note?: string;
  /** In order: what each stands for, and its title. */
  readonly buttons: readonly (readonly [answer: string, title: string])[];
}

/**
 * The answer of a chat turn, for as long as calls of it run: where the person looks who wanted them, and is asked what comes
 * of them.
 */
export interface CallChat {
  /** Aborted when the person stops the turn: what came of its calls is not wanted any more. */
  readonly stopped: AbortSignal;
  /** Aborted when its calls have ended: nothing can be asked here any more, and what is still open goes elsewhere. */
  readonly over: AbortSignal;
  /** One line. Nothing happens when that is over; the same holds for `ask`. */
  say(text: string): void;
  /** Asks until that is disposed: one button may be pressed after the other. */
  ask(question: ChatQuestion, onAnswer: (answer: string) => void): Disposable;
}
