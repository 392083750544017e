import { isObject } from '../../../base/json';
import { count, flag, type MessageOf, messageReader, oneOf, text } from '../../../base/messageReader';
import { RateAllowance } from '../../../base/rateAllowance';

// What the page around an app and the extension say to each other: plain JSON, every text ready to be shown.

/** Facts about the display of an app that only the page knows. */
export interface AppSurroundings {
  readonly theme: 'light' | 'dark';
  /** Custom properties for the app's styles: the editor's colours and fonts. */
  readonly variables: Readonly<Record<string, string>>;
  readonly width: number;
  readonly height: number;
  readonly touch: boolean;
  readonly hover: boolean;
}

/** The frame that the page shows around the app. */
interface Frame {
  /** Whose app this is, and what it can reach. */
  readonly label: string;
  readonly details: string;
  readonly hasBorder: boolean;
  /** Title of the frame, for screen readers. */
  readonly title: string;
}

export type ToAppPage =
  | {
      readonly type: 'load';
      readonly html: string;
      /** What the app's frame says of a click in it. */
      readonly clickWord: string;
      readonly allow: string;
      readonly frame: Frame;
      /** Is kept with the tab over a reload of the window. */
      readonly key: string;
    }
  /** Whether the app says how high it is. If not, it has the height that there is. */
  | { readonly type: 'layout'; readonly isFlexible: boolean }
  /** One JSON-RPC message for the app. */
  | { readonly type: 'message'; readonly text: string }
  /** Shown above the app. Empty: nothing. */
  | {
      readonly type: 'note';
      readonly text: string;
      readonly action?: { readonly name: string; readonly label: string };
    }
  | { readonly type: 'height'; readonly height: number }
  /** Takes the app away and says why. */
  | {
      readonly type: 'end';
      readonly text: string;
      readonly action?: { readonly name: string; readonly label: string };
    };

const surroundings = (value: unknown) => (isSurroundings(value) ? value : undefined);

export const fromAppPage = messageReader({
  ready: { surroundings },
  surroundings: { surroundings },
  /** One JSON-RPC message of the app, and the number of the gesture that the person has just made in it (`Gestures`). */
  message: { text, gesture: count },
  /** The app is no longer in its frame, because it led it elsewhere, or was stopped. */
  gone: { why: oneOf<Excess | 'navigated' | 'focus'>('flood', 'large', 'navigated', 'focus') },
  /** The focus has come to the app: the person brought it, or the app took it and no longer has it (`FocusGuard`). */
  focus: { isTaken: flag },
  act: { name: text },
});
export type FromAppPage = MessageOf<typeof fromAppPage>;

function isSurroundings(value: unknown): value is AppSurroundings {
  if (!isObject(value) || !isObject(value.variables)) return false;
  const { theme, width, height } = value;
  return (theme === 'light' || theme === 'dark') && typeof width === 'number' && typeof height === 'number';
}

/** Messages that an app may send at once, and each second from then on. Drawing a chart asks for a few. */
const BURST = 1_000;
const PER_SECOND = 200;
/** A longer message counts as several of this many characters. */
const CHARACTERS = 100_000;
/** The largest message, in characters. */
export const MAX_LENGTH = 8 * 1024 * 1024;

type Excess = 'flood' | 'large';

/**
 * The length of what an app has sent, roughly, in characters of JSON: what is in it again and again counts as often. Infinity: it is
 * longer than `most`, and was looked at no further. Undefined: it is no JSON, and so no message. Its text is part of a page
 * (`webview/appRelay.ts`), so it uses nothing that is outside of it.
 */
export function lengthOfMessage(data: unknown, most: number): number | undefined {
  let length = 0;
  const open = [data];
  while (open.length > 0) {
    if (length > most) return Number.POSITIVE_INFINITY;
    const one = open.pop();
    length += 8;
    if (typeof one === 'string') length += one.length;
    else if (Array.isArray(one)) {
      if (length + 8 * one.length > most) return Number.POSITIVE_INFINITY;
      for (const item of one) open.push(item);
    } else if (typeof one === 'object' && one !== null) {
      // A text or bytes as an object have a member for each of their parts.
      if (Object.getPrototypeOf(one) !== Object.prototype) return undefined;
      for (const [name, member] of Object.entries(one)) {
        length += name.length;
        open.push(member);
      }
    } else if (typeof one === 'bigint') return undefined;
  }
  return length > most ? Number.POSITIVE_INFINITY : length;
}

/** Counts what an app sends, in the page around it: one that sends more than it may is stopped, never delayed. */
export class MessageGate {
  readonly #allowance = new RateAllowance(BURST, PER_SECOND);

  /** @param now in milliseconds, from any start. @returns why the message goes no further. */
  take(length: number, now: number): Excess | undefined {
    if (length > MAX_LENGTH) return 'large';
    return this.#allowance.use(now, Math.max(1, length / CHARACTERS)) ? undefined : 'flood';
  }
}

/**
 * Counts the clicks and keys of the person in an app, as far as the page around it can tell: the browser says whether there was one
 * within the last seconds. Those that follow each other within that time are one.
 */
export class Gestures {
  #count = 0;
  #isActive = false;

  /**
   * @param isActive `navigator.userActivation.isActive`: there was a gesture in the page, or in a frame in it.
   * @param isInApp whether it can have been in the app: keys that follow an app's theft of the focus are not for it.
   */
  constructor(
    private readonly isActive: () => boolean,
    private readonly isInApp: () => boolean,
  ) {}

  /** The number of the gesture that was just made. 0: there was none. */
  get latest(): number {
    this.look();
    return this.#isActive ? this.#count : 0;
  }

  /** Called often: only then is the end of one gesture told from the next. */
  look(): void {
    const was = this.#isActive;
    this.#isActive = this.isActive() && (was || this.isInApp());
    if (this.#isActive && !was) this.#count++;
  }
}
