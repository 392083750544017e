import type { Finding } from './lint';

/** Findings that a person has taken note of, by rule, or by rule and place, with the reason. */
export type Silenced = Readonly<Record<string, string>>;

/** The findings that are left. */
export function unsilenced(findings: readonly Finding[], silenced: Silenced): readonly Finding[] {
  return findings.filter(({ rule, where }) => ![rule, `${rule} ${where}`].some(key => Object.hasOwn(silenced, key)));
}
