/**
 * Counts the clicks and keys of the person in an app, as far as the page around it can tell: the browser says whether there was one
 * within the last seconds. Those that follow each other within that time are one.
 */
export class Gestures {
  #count = 0;
  #isActive = false;

  /**
   * @param isActive `navigator.userActivation.isActive`; nothing that an app does makes it true.
   * @param later looks once more, soon: only then is the end of one gesture told from the next.
   */
  constructor(
    private readonly isActive: () => boolean,
    private readonly later: (look: () => void) => void,
  ) {}

  /** The number of the gesture that was just made. 0: there was none. */
  get latest(): number {
    this.#look();
    return this.#isActive ? this.#count : 0;
  }

  readonly #look = (): void => {
    const was = this.#isActive;
    this.#isActive = this.isActive();
    if (!this.#isActive || was) return;
    this.#count++;
    this.#follow();
  };

  #follow(): void {
    this.later(() => {
      this.#look();
      if (this.#isActive) this.#follow();
    });
  }
}
