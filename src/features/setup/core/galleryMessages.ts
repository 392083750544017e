// What the page of the gallery and the extension say to each other: plain JSON, every text ready to be shown.

import { count, type MessageOf, messageReader, oneOf, text } from '../../../base/messageReader';
import { type GalleryOrder, ORDERS } from './gallerySearch';
import type { Block } from './plainMarkdown';

/** A server in the list. */
export interface GalleryRow {
  /** As the registry names it: its identity here. */
  readonly name: string;
  readonly title: string;
  readonly shownName: string;
  readonly description: string;
  /** Version, how it is run, popularity. */
  readonly facts: string;
  /** Drawn where it has no icon. */
  readonly initial: string;
  /** What speaks against it: refused, deprecated, not supported. */
  readonly mark?: string;
}

interface Fact {
  readonly label: string;
  readonly value: string;
  /** What to think of it. */
  readonly note?: string;
}

/** A way to run the server. */
interface GalleryWay {
  readonly label: string;
  readonly what: string;
  /** Values that the person is asked for. */
  readonly asks?: string;
  /** Why it cannot be chosen. Empty: `ways.refused` says so of all. */
  readonly refused?: string;
}

/** The server that is selected. */
export interface GalleryDetails {
  readonly name: string;
  readonly title: string;
  readonly initial: string;
  readonly warning?: string;
  readonly description: string;
  readonly facts: readonly Fact[];
  readonly versions: {
    readonly label: string;
    readonly all: readonly string[];
    /** Index of the one whose details these are. */
    readonly shown: number;
    /** Loads the others. Undefined: they are there. */
    readonly more?: string;
    readonly problem?: string;
  };
  readonly ways: {
    readonly label: string;
    readonly all: readonly GalleryWay[];
    readonly none: string;
    /** Why several cannot be chosen, when it is the same for them. */
    readonly refused?: string;
  };
  readonly install: string;
  readonly links: readonly { readonly link: GalleryLink; readonly label: string; readonly address: string }[];
  readonly readme: { readonly label: string; readonly blocks: readonly Block[] };
  /** Whom to believe what. */
  readonly note: string;
}

const LINKS = ['website', 'repository'] as const;
export type GalleryLink = (typeof LINKS)[number];

interface GalleryProblem {
  readonly what: string;
  readonly remedy: string;
  readonly action: 'again' | 'settings';
  readonly label: string;
}

/** The whole list, and what is around it. */
export interface GalleryList {
  readonly type: 'list';
  readonly labels: Readonly<
    Record<'title' | 'search' | 'hint' | 'sort' | 'servers' | 'details' | 'choose' | 'back', string>
  >;
  /** Orders of the list, and which one it has. */
  readonly orders: readonly { readonly order: GalleryOrder; readonly label: string }[];
  readonly order: GalleryOrder;
  readonly source: string;
  readonly query: string;
  readonly maxQuery: number;
  readonly isBusy: boolean;
  /** Announced by screen readers. */
  readonly status: string;
  readonly rows: readonly GalleryRow[];
  readonly more?: string;
  readonly problem?: GalleryProblem;
  /** Without servers: why, and what may help. */
  readonly empty?: string;
}

export type ToGalleryPage =
  | GalleryList
  | { readonly type: 'details'; readonly details: GalleryDetails | undefined }
  /** @param data a `data:` URI of an image that was checked. */
  | { readonly type: 'icon'; readonly name: string; readonly data: string };

/** Reads a message of the page. */
export const fromGalleryPage = messageReader({
  ready: {},
  search: { query: text },
  more: {},
  again: {},
  settings: {},
  sort: { order: oneOf(...ORDERS) },
  select: { name: text },
  versions: { name: text },
  version: { name: text, index: count },
  /** What was shown when the button was pressed: it may be another by now. */
  install: { name: text, version: text, way: count },
  open: { name: text, link: oneOf(...LINKS) },
});
export type FromGalleryPage = MessageOf<typeof fromGalleryPage>;
