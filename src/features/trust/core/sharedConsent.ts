import { isTestId } from '../../../host/definition';
import { rootsBeyond } from './agreedRoots';
import type { Consents, LaunchReview, RememberedConsent } from './consent';
import { sameButReadOtherwise } from './launchChanges';

/** What is remembered for tests that start the same. */
const sharing = (consents: Consents, { server, scope, allowed }: RememberedConsent): RememberedConsent[] =>
  allowed && isTestId(server)
    ? consents.all.filter(
        one => isTestId(one.server) && one.scope === scope && one.allowed?.fingerprint === allowed.fingerprint,
      )
    : [];

/**
 * Takes what was allowed for the tests of one file over to those of another that start exactly the same. A denial of its own
 * stays. @returns whether there was something to take over.
 */
export async function adoptConsent(consents: Consents, review: LaunchReview): Promise<boolean> {
  const { definition, scope, fingerprint, fields, roots, answer } = review;
  if (answer !== undefined) return false;
  const wanted = { server: definition.id, scope, allowed: { fingerprint, at: 0, fields } };
  const covers = ({ allowed }: RememberedConsent) =>
    rootsBeyond(allowed?.roots, roots).length === 0 && sameButReadOtherwise(allowed?.fields ?? [], fields).length === 0;
  if (!sharing(consents, wanted).some(covers)) return false;
  await consents.allow(review);
  return true;
}

/** Revokes a consent: for tests, in all files that start the same. */
export async function revokeShared(consents: Consents, consent: RememberedConsent): Promise<void> {
  const others = sharing(consents, consent).filter(({ server }) => server !== consent.server);
  for (const one of [consent, ...others]) await consents.revoke(one);
}
