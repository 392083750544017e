/** A browser resolves names by itself and tells nobody. */
export function lookup(host: string, _options: unknown, answer: (error: Error, found: never[]) => void): void {
  answer(new Error(`The address of ${host} can't be looked up in a web window.`), []);
}
