import { RateAllowance } from '../../../base/rateAllowance';

/** How often an app may take the focus at once, and each second from then on: once a minute. */
const BURST = 5;
const PER_SECOND = 1 / 60;

/** How long the person's way into the app may take once it has begun, in milliseconds. */
const WAY_MS = 5_000;

/** How long after a gesture the focus may come to the app for which it was. */
const GESTURE_MS = 1_000;
/** How long to wait for the report of a click that may have brought the focus. */
const REPORT_MS = 75;

/** The focus and the pointer as the page around an app sees them. */
export interface FocusView {
  /** Whether the focus of the page is in the app's frame (`document.activeElement`), and whether it is in the page at all. */
  readonly isInApp: boolean;
  readonly isInPage: boolean;
  /** Whether the pointer is over the app's frame. */
  readonly isPointed: boolean;
  /** `navigator.userActivation.isActive`: a recent gesture in this page or its frames, on some hosts elsewhere too. */
  readonly isActive: boolean;
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
  /** Since when there has been a gesture, and the pointer over the app, without the focus in it. */
  #gestureAt: number | undefined;
  /** Whether the last gesture may have been outside the app: it is older than the move of the focus, or was a key in the page. */
  #isStale = false;
  /** When the app's frame last reported a click. */
  #clickAt = Number.NEGATIVE_INFINITY;
  /** Since when the focus has been in the app for no known reason. */
  #unknownSince: number | undefined;

  /** Whether the focus is in the app because the person wants it there. */
  get isIn(): boolean {
    return this.#isIn;
  }

  /**
   * Whether the Tab key may lead into the app. It may not once an app has taken the focus, or text is typed into the page, where
   * nothing takes it: the person believes to be elsewhere. Leaving the page or a click in the app opens the way again.
   */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether the last gesture was the person's in the app. */
  isMeant({ isPointed, isActive }: Pick<FocusView, 'isActive' | 'isPointed'>, now: number): boolean {
    return this.#isIn || now - this.#clickAt < GESTURE_MS || (isPointed && isActive && !this.#isStale);
  }

  /** The app's frame reports a click in it. Frames inside the app report none. */
  clickInApp(now: number): void {
    this.#clickAt = now;
  }

  /** The person is on the way into the app. @param now in milliseconds, from any start. */
  expect(now: number): void {
    this.#wayEnds = now + WAY_MS;
  }

  /** A key was pressed in the page around the app, where nothing can be typed. */
  press(key: string, now: number): void {
    this.#isStale = true;
    if (key.length === 1 && key !== ' ') [this.#isOpen, this.#wayEnds] = [false, 0];
    if (key === 'Tab' && this.#isOpen) this.expect(now);
  }

  /** @returns `taken`: the app has taken the focus, which is to be taken back. `greedy`: too often. */
  look(view: FocusView, now: number): 'entered' | 'taken' | 'greedy' | undefined {
    const { isInApp, isInPage, isPointed, isActive } = view;
    const isGesture = isPointed && isActive;
    this.#gestureAt = isGesture && !isInApp ? (this.#gestureAt ?? now) : undefined;
    if (!isGesture) this.#isStale = false;
    else if (now - (this.#gestureAt ?? now) > GESTURE_MS) this.#isStale = true;
    // A person who leaves the page gives up their way into the app, and returns on purpose.
    if (!isInPage) [this.#wayEnds, this.#isOpen] = [0, true];
    if (!isInApp || this.#isIn) {
      this.#unknownSince = undefined;
      if (this.#isIn && !isInApp)
        [this.#isIn, this.#isStale, this.#clickAt] = [false, isGesture, Number.NEGATIVE_INFINITY];
      return undefined;
    }
    this.#isIn = this.isMeant(view, now) || now < this.#wayEnds;
    this.#unknownSince ??= now;
    if (!this.#isIn && isGesture && now - this.#unknownSince < REPORT_MS) return undefined;
    this.#unknownSince = undefined;
    this.#wayEnds = 0;
    this.#isOpen = this.#isIn;
    if (this.#isIn) return 'entered';
    this.#isStale = true;
    return this.#takes.use(now) ? 'taken' : 'greedy';
  }
}
