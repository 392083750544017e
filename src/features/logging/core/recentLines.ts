import type { ServerId } from '../../../host/definition';

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly server: ServerId;
  /** As the editor writes it: `warning`. */
  readonly level: string;
  readonly text: string;
}

/** The last lines of all servers, oldest first: so many at most, of so many characters at most. */
export class RecentLines {
  #lines: LogLine[] = [];
  /** Index of the oldest line still kept. */
  #start = 0;
  #characters = 0;

  constructor(
    private readonly maxLines = 2_000,
    private readonly maxCharacters = 1_000_000,
  ) {}

  push(line: LogLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
    while (this.#lines.length - this.#start > this.maxLines || this.#characters > this.maxCharacters) {
      this.#characters -= this.#lines[this.#start++]!.text.length;
    }
    // Now and then, as it moves all that are kept.
    if (this.#start >= this.maxLines) {
      this.#lines = this.#lines.slice(this.#start);
      this.#start = 0;
    }
  }

  get all(): readonly LogLine[] {
    return this.#lines.slice(this.#start);
  }
}
