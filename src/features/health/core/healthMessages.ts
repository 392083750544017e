// What the page and the extension say to each other: plain JSON, every text ready to be shown.

import { type MessageOf, messageReader, oneOf, text } from '../../../base/messageReader';

/** One number that tells how a server does. */
export interface Card {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly details: readonly string[];
  /** A line over the newest values, oldest first; `label` is what a screen reader says of it. */
  readonly spark?: { readonly values: readonly number[]; readonly label: string };
}

export interface Cell {
  readonly text: string;
  /** The sort key of rows. */
  readonly sort: number | string;
  readonly isBad?: boolean;
}

export interface HealthTable {
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly { readonly label: string; readonly isNumber?: boolean }[];
  readonly rows: readonly (readonly Cell[])[];
  /** Shown in place of the rows when there are none. */
  readonly empty: string;
  /** By a click on a column; else rows stay as they come. */
  readonly isSortable?: boolean;
}

/** A stretch of time in one state, for the bar of the states. */
export interface Stretch {
  readonly kind: string;
  readonly ms: number;
}

const HEALTH_ACTIONS = [
  'start',
  'restart',
  'stop',
  'showLog',
  'showTrace',
  'openSettings',
  'copyDiagnostics',
  'openWebsite',
] as const;
export type HealthAction = (typeof HEALTH_ACTIONS)[number];

/** Everything the page shows. */
export interface HealthPage {
  readonly chooser: {
    readonly label: string;
    readonly chosen: string;
    readonly servers: readonly { readonly id: string; readonly label: string }[];
  };
  readonly actions: readonly { readonly action: HealthAction; readonly label: string; readonly isMain: boolean }[];
  readonly state: {
    readonly kind: string;
    /** What the server is doing, with its name. */
    readonly text: string;
    /** What this page is for. */
    readonly about: string;
    /** What the server is. */
    readonly details: readonly string[];
  };
  /** The problem and its remedies, with the last lines of stderr. */
  readonly problem:
    | {
        readonly text: string;
        readonly remedies: readonly string[];
        readonly linesLabel: string;
        readonly lines: readonly string[];
      }
    | undefined;
  readonly bar: {
    readonly label: string;
    readonly stretches: readonly Stretch[];
    /** Each state that the bar shows, with its name. */
    readonly legend: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly cards: readonly Card[];
  readonly tables: readonly HealthTable[];
}

export const fromHealthPage = messageReader({
  ready: {},
  choose: { id: text },
  act: { action: oneOf(...HEALTH_ACTIONS) },
  /** `title` as it was shown: the list may be another by now. */
  mend: { title: text },
});
export type FromHealthPage = MessageOf<typeof fromHealthPage>;
