import { type MessageOf, messageReader, text } from '../../../../base/messageReader';
import type { ReviewRow } from '../reviewLayout';

/** A button. `allows`: it permits something, so the whole text has to be on the page first. */
export interface ReviewButton {
  readonly answer: string;
  readonly title: string;
  readonly allows: boolean;
}

/** A message to the page. */
export type ToReviewPage =
  | {
      readonly type: 'start';
      readonly question: string;
      readonly notes: readonly string[];
      /** The size of the text. */
      readonly facts: string;
      readonly buttons: readonly ReviewButton[];
    }
  | {
      readonly type: 'rows';
      readonly rows: readonly ReviewRow[];
      /** The line below the rows: a button that shows more, or the end. */
      readonly more?: string;
      readonly end?: string;
    };

/** Reads a message of the page. */
export const fromReviewPage = messageReader({ ready: {}, more: {}, answer: { answer: text } });
export type FromReviewPage = MessageOf<typeof fromReviewPage>;
