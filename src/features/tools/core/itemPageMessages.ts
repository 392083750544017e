import { count, counts, flag, type MessageOf, messageReader, oneOf, text } from '../../../base/messageReader';
import type { Picker } from './formats';
import type { ResultBlock } from './resultBlocks';

// What the page of a tool, prompt or resource template and the extension say to each other: plain JSON. Every text is ready to be shown, as text.

/** One question of the form. What is in it now is a `FieldValue`. */
export interface PageField {
  /** Its name in the protocol, with dots for objects in objects. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The accepted values, in words. */
  readonly hint: string;
  /** The pattern of its text, for a tooltip. */
  readonly pattern: string;
  readonly required: boolean;
  /**
   * `line`: no line breaks; `date`, `date-time`, `time`: the same, with a picker; `secret`: not shown; `lines`: text that may have some; `one`,
   * `several`: of many options; `either`: of two or three, each in sight; `union`: of one of the kinds in `options`, whose fields are
   * the `parts`; `record`: rows of a name and a value, whose field is the only one of the `parts`; `null`: nothing to enter.
   */
  readonly kind:
    | 'line'
    | Picker
    | 'secret'
    | 'lines'
    | 'json'
    | 'one'
    | 'several'
    | 'either'
    | 'union'
    | 'record'
    | 'null';
  readonly options: readonly string[];
  readonly parts: readonly PageField[];
  /** The button that chooses a path for it, if there is one. */
  readonly browse?: string;
  /** Its server may suggest values for what is typed. */
  readonly suggests: boolean;
}

export interface FieldValue {
  readonly text: string;
  readonly chosen: readonly number[];
  readonly problem: string;
  readonly isMissing: boolean;
}

export interface PageArguments {
  readonly fields: readonly FieldValue[];
  readonly json: string;
  readonly jsonProblem: string;
  /** The schema's problem with the whole. */
  readonly wholeProblem: string;
  readonly canSendAnyway: boolean;
  /** The URI that the values make, as far as they are known; empty where they make none. */
  readonly uri: string;
}

/** A run from this page, done or still going on. */
export interface PageRun {
  readonly id: number;
  /** When, how it went, how long it took. */
  readonly text: string;
  /** The arguments, on one line. */
  readonly args: string;
  readonly kind: 'running' | 'ok' | 'odd' | 'failed' | 'cancelled';
}

const PAGE_ACTIONS = [
  'start',
  'signIn',
  'showLog',
  'setApproval',
  'reviewChanges',
  'copy',
  'copyResult',
  'useInChat',
  'openFile',
  'openApp',
  'recordTest',
  'answer',
  'decline',
  'dismiss',
] as const;
export type PageAction = (typeof PAGE_ACTIONS)[number];

export interface PageButton {
  readonly action: PageAction;
  readonly label: string;
  readonly isMain?: boolean;
}

export type ToItemPage =
  | {
      readonly type: 'texts';
      /** Texts of buttons and headings, by name. */
      readonly texts: Readonly<Record<string, string>>;
      /** Actions of the form besides running it. */
      readonly buttons: readonly PageButton[];
      /** The state from which the page is restored. */
      readonly place: object;
      /** Someone else asks for the form: it is sent only by its button, shows all of its fields, and has no results. */
      readonly isQuestion?: boolean;
    }
  | {
      readonly type: 'item';
      readonly title: string;
      /** Name, server, hints. */
      readonly facts: readonly string[];
      readonly description: string;
      /** A notice for the person before they run it, with actions. */
      readonly notice: { readonly text: string; readonly buttons: readonly PageButton[] } | undefined;
      readonly approval: { readonly text: string; readonly button: PageButton } | undefined;
      readonly canRun: boolean;
    }
  | {
      readonly type: 'form';
      readonly fields: readonly PageField[];
      /** Stands in place of the fields when there are none. */
      readonly note: string;
      /** The panel beside the form: the same as JSON, or the URI that it makes. */
      readonly beside: 'json' | 'uri' | undefined;
    }
  | {
      readonly type: 'arguments';
      readonly arguments: PageArguments;
      /** The edit of the page that this answers: an answer to an earlier one is out of date. */
      readonly edit: number;
      /** The person wanted to run it: shows what is missing, and goes to the first problem. */
      readonly isAsked?: boolean;
      /** The arguments that the page keeps over a reload, as JSON. */
      readonly kept?: string | undefined;
    }
  | {
      /** The server's suggestions for the text that was sent with `suggest`. */
      readonly type: 'suggestions';
      readonly index: number;
      readonly text: string;
      /** Null: not known yet. */
      readonly values: readonly string[] | null;
      /** A note on them, such as that there are more. */
      readonly note: string;
    }
  /** Puts the focus into the first field, or back on the button of the approval. */
  | { readonly type: 'focus'; readonly on: 'fields' | 'approval' }
  | { readonly type: 'runs'; readonly runs: readonly PageRun[]; readonly shown: number | undefined }
  | { readonly type: 'progress'; readonly text: string; readonly part: number | undefined }
  | {
      readonly type: 'result';
      readonly id: number;
      readonly heading: string;
      readonly kind: PageRun['kind'];
      readonly blocks: readonly ResultBlock[];
      readonly buttons: readonly PageButton[];
      /** Whether it can be opened in an editor. */
      readonly canOpen: boolean;
    };

export const fromItemPage = messageReader({
  ready: {},
  field: { edit: count, index: count, text },
  suggest: { index: count, text },
  browse: { index: count },
  choice: { edit: count, index: count, chosen: counts },
  json: { edit: count, text },
  run: { anyway: flag },
  cancel: {},
  show: { run: count },
  again: { run: count },
  use: { run: count },
  open: { run: count },
  link: { run: count, block: count, isWebsite: flag },
  act: { action: oneOf(...PAGE_ACTIONS) },
});
export type FromItemPage = MessageOf<typeof fromItemPage>;
