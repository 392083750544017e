import { t, window } from '../../../editor/window';

/** Other hosts keep their servers in files of a machine, which a web window can't read. The command is hidden here. */
export class ImportServers {
  async run(): Promise<void> {
    const message = t('Web windows cannot read the files of other hosts. Import servers in a desktop window.');
    await window.showInformationMessage(message);
  }
}
