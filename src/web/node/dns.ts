/** A browser resolves names itself, without exposing addresses. */
export function lookup(host: string, _options: unknown, answer: (error: Error, found: never[]) => void): void {
  answer(new Error(`The address of ${host} can't be looked up in a web window.`), []);
}
