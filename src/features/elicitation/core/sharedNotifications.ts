/**
 * Questions in notifications that may be asked again, with the same text, before they are answered. The editor then closes
 * the earlier notification, which is no answer: that of the latest holds for all of them.
 */
export class SharedNotifications {
  readonly #latest = new Map<string, Thenable<string | undefined>>();

  /** Resolves with the person's choice; undefined: they closed the notification. */
  async ask(text: string, show: () => Thenable<string | undefined>): Promise<string | undefined> {
    let shown = show();
    this.#latest.set(text, shown);
    for (;;) {
      const answer = await shown;
      const latest = this.#latest.get(text)!;
      if (answer !== undefined || latest === shown) return answer;
      shown = latest;
    }
  }
}
