import { phrase } from '../../base/phrase';
import { t, window } from '../../editor/window';
import { confinementOf, type ServerConnection } from '../../host';
import { proposePolicy, type SandboxServices } from './changeSandbox';

/**
 * Runs a server confined, notes all that it is refused and lets it reach every host meanwhile; then proposes the least that it
 * needs. Of files no more can be known: bubblewrap refuses without a word, and would have to open what is secret to see who
 * reads it. Called again while it runs, it goes on to the proposal.
 */
export async function watchNeeds(services: SandboxServices, argument: unknown): Promise<void> {
  const { server } = (argument ?? {}) as { server?: ServerConnection };
  if (!server) return;
  const { confined } = services;
  if (!confined.isWatched(server.definition) && !(await begin(services, server))) return;
  const propose = t('Propose Rules');
  const end = t('Stop Watching');
  const text = t('Watching what "{0}" needs. Use its tools as usual, then choose "Propose Rules".', server.name);
  const answer = await window.showInformationMessage(text, propose, end);
  // Dismissed: its row still leads here.
  if (answer === undefined || !confined.isWatched(server.definition)) return;
  confined.watch(server, false);
  const open = confined.refusals(server).filter(({ isKept }) => !isKept);
  const allowed = open.flatMap(({ attempt, allowances: [first] }) => (first ? [[attempt, first] as const] : []));
  const isChanged = answer === propose && (await proposePolicy(services, server, allowed));
  // A changed entry restarts it anyway.
  if (!isChanged) await server.restart(phrase('it is no longer watched'));
}

async function begin({ confined }: SandboxServices, server: ServerConnection): Promise<boolean> {
  if (confinementOf(server.definition, 'off', process, true).kind !== 'confined') {
    void window.showWarningMessage(
      t('"{0}" cannot be watched. Only programs on Linux and macOS that run outside containers can be.', server.name),
    );
    return false;
  }
  const watch = t('Watch');
  const answer = await window.showInformationMessage(
    t('Watch what "{0}" needs?', server.name),
    {
      modal: true,
      detail: t(
        'It restarts in a sandbox: it can change only what its entry names, and cannot read places that may hold secrets. Until you stop watching, it can reach every host. What was blocked and the hosts that it reached become proposed rules for its entry. You see them before they are written.',
      ),
    },
    watch,
  );
  if (answer !== watch) return false;
  confined.watch(server, true);
  await server.restart(phrase('you are watching what it needs'));
  return true;
}
