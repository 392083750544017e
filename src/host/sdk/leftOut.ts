/** Called with the place of an optional part that was left out of an answer to a method, or of a request by it. */
export type LeftOut = (method: string, place: string) => void;
