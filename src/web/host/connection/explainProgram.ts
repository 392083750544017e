// Web windows run and confine no programs.
export const tellingLine = (): undefined => undefined;
export const explainMissing = (): undefined => undefined;
export const hiddenFile = (): undefined => undefined;
export const explainConfined = <E>(explanation: E): E => explanation;
