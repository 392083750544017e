import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/events';
import { LazyTree, type Rows } from '../../src/editor/lazyTree';

describe('a view with lazily loaded rows', () => {
  const rowsChanged = new vscode.EventEmitter<string | undefined>();
  const rows: Rows<string> = {
    onDidChangeTreeData: rowsChanged.event,
    getChildren: () => ['one'],
    getTreeItem: node => new vscode.TreeItem(node),
    resolveTreeItem: item => item,
  };

  it('refreshes a single row only while the editor knows the rows, otherwise all', () => {
    const tree = new LazyTree(() => rows, new Emitter<void>().event);
    const told: unknown[] = [];
    tree.onDidChangeTreeData(node => told.push(node));
    tree.getTreeItem('one'); // loads the rows
    rowsChanged.fire('one');
    assert.deepEqual(told.splice(0), [undefined], 'nothing was asked for yet');
    tree.getChildren();
    rowsChanged.fire('one');
    assert.deepEqual(told.splice(0), ['one']);
    rowsChanged.fire(undefined);
    // The editor has forgotten all rows, and did not ask again: there was nothing drawn yet.
    rowsChanged.fire('one');
    assert.deepEqual(told.splice(0), [undefined, undefined]);
    tree.getChildren();
    rowsChanged.fire('one');
    assert.deepEqual(told.splice(0), ['one']);
    tree.dispose();
  });

  it('is redrawn when first opened', () => {
    const tree = new LazyTree(() => rows, new Emitter<void>().event);
    const told: unknown[] = [];
    tree.onDidChangeTreeData(node => told.push(node));
    const visibility = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
    tree.drawAgainWhenOpened({ onDidChangeVisibility: visibility.event });
    tree.getChildren();
    visibility.fire({ visible: false });
    assert.deepEqual(told, []);
    visibility.fire({ visible: true });
    visibility.fire({ visible: true });
    assert.deepEqual(told, [undefined]);
    tree.dispose();
  });
});
