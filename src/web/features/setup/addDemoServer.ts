import { t, window } from '../../../editor/window';

/** The demo server is a program. The command is hidden here; what offers it all the same, as chat, leads to this. */
export async function addDemoServer(): Promise<void> {
  const message = t('The demo server is a program, and web windows cannot run programs. Add it in a desktop window.');
  await window.showInformationMessage(message);
}
