import { Emitter } from '../../base/events';

/** Something that other programs obey, which appeared where a confined program may write, and was moved away. */
export interface AppearedPlace {
  readonly id: string;
  /** Where it appeared. */
  readonly path: string;
  /** Puts it back, where it may stay. @throws PhraseError if something else is there by now, Node's error if its folder is gone */
  keep(): void;
  /** Removes it for good. @throws Node's error if that fails */
  remove(): void;
}

/** What appeared where a server may write, until the person has decided on it. */
export class AppearedPlaces {
  readonly #changed = new Emitter<void>();
  /** Fires when something appeared or was decided on. */
  readonly onDidChange = this.#changed.event;
  readonly #places = new Map<string, AppearedPlace>();

  get all(): readonly AppearedPlace[] {
    return [...this.#places.values()];
  }

  /** Adds places. What a decision on one does comes first. */
  add(places: readonly AppearedPlace[]): void {
    for (const place of places) {
      const { id, path } = place;
      const settled = (decide: () => void) => () => {
        decide();
        if (this.#places.delete(id)) this.#changed.fire();
      };
      this.#places.set(id, { id, path, keep: settled(() => place.keep()), remove: settled(() => place.remove()) });
    }
    if (places.length > 0) this.#changed.fire();
  }
}
