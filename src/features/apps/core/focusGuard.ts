import { RateAllowance } from '../../../base/rateAllowance';

/** How often an app may take the focus at once, and each second from then on: once a minute. */
const BURST = 5;
const PER_SECOND = 1 / 60;

/** How long the person's way into the app may take once it has begun, in milliseconds. */
const WAY_MS = 5_000;

/** The focus as the page around an app sees it. */
export interface FocusView {
  /** Whether the focus of the page is in the app's frame (`document.activeElement`), and whether it is in the page at all. */
  readonly isInApp: boolean;
  readonly isInPage: boolean;
  /** Whether the pointer is over the app's frame, and a gesture was made just now. */
  readonly isClicked: boolean;
}

/**
 * Tells whether the person or the app itself has brought the focus into the app's frame. No policy of a browser keeps a frame from
 * taking it, with all that is typed from then on; nor does any event tell the page around it. So it is looked for: the person
 * clicks in the frame, comes by the Tab key from what stands before or behind it, or has the page in use when the app is loaded.
 */
export class FocusGuard {
  #isIn = false;
  #isOpen = true;
  #wayEnds = 0;
  readonly #takes = new RateAllowance(BURST, PER_SECOND);

  /** Whether the focus is in the app because the person wants it there. */
  get isIn(): boolean {
    return this.#isIn;
  }

  /**
   * Whether the Tab key may lead into the app: not where somebody types who believes to be elsewhere, until they have left the page
   * or clicked in the app.
   */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The person is on the way into the app. @param now in milliseconds, from any start. */
  expect(now: number): void {
    this.#wayEnds = now + WAY_MS;
  }

  /** A key was pressed in the page around the app, where nothing can be typed. */
  press(key: string, now: number): void {
    if (key.length === 1 && key !== ' ') [this.#isOpen, this.#wayEnds] = [false, 0];
    if (key === 'Tab' && this.#isOpen) this.expect(now);
  }

  /** @returns `taken`: the app has taken the focus, which is to be taken back. `greedy`: too often. */
  look({ isInApp, isInPage, isClicked }: FocusView, now: number): 'entered' | 'taken' | 'greedy' | undefined {
    // Whoever has left the page is not on the way into it, and comes back knowingly.
    if (!isInPage) [this.#wayEnds, this.#isOpen] = [0, true];
    if (!isInApp || this.#isIn) {
      this.#isIn &&= isInApp;
      return undefined;
    }
    this.#isIn = isClicked || now < this.#wayEnds;
    this.#wayEnds = 0;
    this.#isOpen = this.#isIn;
    if (this.#isIn) return 'entered';
    if (!this.#takes.isLeft(now)) return 'greedy';
    this.#takes.take(1);
    return 'taken';
  }
}
