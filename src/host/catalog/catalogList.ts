import type { HostError } from '../../base/errors';
import type { Phrase } from '../../base/phrase';

/** An item that the server lists and that can't be used. */
export interface ExcludedItem {
  /** The server's text, of any length; empty when the item has no name. */
  readonly name: string;
  /** Worded to complete "it was left out: ". May quote the server. */
  readonly reason: Phrase | string;
}

/** Something wrong with an item that is offered nevertheless. */
export interface ItemMistake {
  readonly name: string;
  /** Worded to complete "it has a mistake: ". */
  readonly reason: Phrase;
}

/** One list of the catalog. The last good items stay while a new list is loaded, and when that fails. */
export interface CatalogList<T> {
  /** `cached`: the server is not up, and `items` are what it listed last. */
  readonly status: 'unsupported' | 'loading' | 'ready' | 'failed' | 'cached';
  readonly items: readonly T[];
  /** `items` are from an earlier session, until the server has listed them again. They may be shown, but never called. */
  readonly cached?: true;
  /** Set if the server has more pages that have not been requested. */
  readonly more?: true;
  /**
   * Set if the server listed more than this, and the rest was left out; or if its pages lead back to one that was there before
   * (`circle`) after so many items.
   */
  readonly cut?: { readonly after: number; readonly unit: 'items' | 'pages' | 'circle' };
  /** Whether the list belongs to the signed-in account or to the credentials of the request, and to no one else. */
  readonly isPrivate?: true;
  /** Set when some items were left out. */
  readonly excluded?: readonly ExcludedItem[];
  /** Set when some items have mistakes; not more than a hundred. */
  readonly mistakes?: readonly ItemMistake[];
  /** How many more than those in `excluded` were left out. */
  readonly excludedMore?: number;
  /** Set while `failed`. */
  readonly error?: HostError;
}
