import { phrase } from '../../../base/phrase';
import { type ServerDefinition, settlePaths } from '../../../host/definition';
import type { Organization } from './organization';
import { refusalOf, remedyOf, settingsOf } from './organizationRules';

/** A server that is not configured yet has no row. */
const ASK = phrase('Ask your administrator to allow it.');

/**
 * What the rules say about servers that are not configured yet, read once for many of them. Undefined: there are none. Servers with
 * inputs may still be refused when these are filled in.
 */
export async function rulesForNew(organization: Organization) {
  const rules = await organization.read();
  if (rules.files.length === 0 && rules.access === 'all') return undefined;
  return {
    /** The registry that is to be searched. */
    registry: settingsOf(rules).find(({ registry }) => registry !== undefined)?.registry,
    /** Why a server would not start, and what can be done about it. Undefined: nothing is known to be against it. */
    refusalOf: ({ name, entry, place, inputs }: ServerDefinition) => {
      const reason = entry && refusalOf(rules, { name, entry: settlePaths(entry, place) }, !inputs);
      return reason && { reason, remedy: remedyOf(rules, ASK) };
    },
  };
}
