import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { openCurrent, textAt } from '../../src/editor/fileText';

const file = () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0]!.uri, 'current.json');
const write = (text: string) => vscode.workspace.fs.writeFile(file(), Buffer.from(text));

describe('the text of a file', () => {
  it('is none where the system says that it is empty, though reading it would not end there', async function () {
    if (process.platform !== 'linux') return this.skip();
    assert.equal(await textAt(vscode.Uri.file('/proc/self/status')), '');
  });
});

describe('the document of a file that is to be edited', () => {
  afterEach(() => vscode.workspace.fs.delete(file()).then(undefined, () => {}));

  it('is as the file is on disk, also if the editor has it as it was before', async () => {
    await write('{}');
    await vscode.workspace.openTextDocument(file());
    for (const name of ['one', 'two', 'three']) {
      await write(`\ufeff{\r\n"${name}": 1\n}`);
      const document = await openCurrent(file());
      assert.equal(document.getText().replace(/\s/g, ''), `{"${name}":1}`);
    }
  });

  it('keeps unsaved changes', async () => {
    await write('{}');
    const document = await openCurrent(file());
    const edit = new vscode.WorkspaceEdit();
    edit.insert(file(), new vscode.Position(0, 1), ' "typed": 1 ');
    await vscode.workspace.applyEdit(edit);
    assert.equal((await openCurrent(file())).getText(), '{ "typed": 1 }');
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });
});
