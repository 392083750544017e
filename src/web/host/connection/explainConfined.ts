/** Web windows confine no programs. */
export const explainConfined = <E>(explanation: E): E => explanation;
export const hiddenFile = (): undefined => undefined;
