import { type Disposable, Emitter, Owner } from '../base/events';
import type { ServerDefinition } from '../host/definition';

/** A question that waits for the person: in the chat, in a form, or in a notification that may be out of sight by now. */
export interface OpenQuestion {
  readonly server: ServerDefinition;
  readonly message: string;
  /** Leads to where it is answered. */
  answer(): void;
}

/** All questions that wait for the person. The status bar counts them, and *What Needs Your Attention* lists them. */
export class OpenQuestions extends Owner {
  readonly #all = new Set<OpenQuestion>();
  readonly #changed = this.own(new Emitter<void>());
  readonly onDidChange = this.#changed.event;

  get all(): readonly OpenQuestion[] {
    return [...this.#all];
  }

  /** @returns a handle that is disposed when the question is answered or withdrawn. */
  add(question: OpenQuestion): Disposable {
    this.#all.add(question);
    this.#changed.fire();
    return {
      dispose: () => {
        if (this.#all.delete(question)) this.#changed.fire();
      },
    };
  }
}
