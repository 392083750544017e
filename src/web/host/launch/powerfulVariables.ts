/** Web windows start no programs, on which a variable could have an effect. */
export const powerOf = (): undefined => undefined;
