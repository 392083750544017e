import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as vscode from 'vscode';
import { callerOf, extensionIdentity } from '../../../../src/features/clients/caller';
import { inRepository, temporaryFolder } from '../../../setup/paths';

type Act = () => unknown;

/** An extension that calls what it is given. */
interface Calling {
  call(act: Act): unknown;
  later(act: Act): Promise<unknown>;
  each(act: Act): unknown[];
}

describe('callerOf', () => {
  const own = { id: 'mcp-host.mcp-host', extensionPath: inRepository() };
  let folder: string;
  const load = createRequire(inRepository('package.json'));
  const code = `
    exports.call = act => act();
    exports.later = async act => { await null; return act(); };
    exports.each = act => [1].map(() => act());`;
  function extension(name: string): { id: string; extensionPath: string } & Calling {
    const extensionPath = path.join(folder, name);
    mkdirSync(extensionPath, { recursive: true });
    const file = path.join(extensionPath, 'main.cjs');
    writeFileSync(file, code);
    return { id: `test.${path.basename(name)}`, extensionPath, ...(load(file) as Calling) };
  }
  before(() => {
    folder = temporaryFolder();
  });

  it('is the extension of the calling file, immediately or after waiting', async () => {
    const [one, other] = [extension('one'), extension('other')];
    const ask = () => callerOf([own, one, other], own)?.id;
    assert.equal(one.call(ask), 'test.one');
    assert.equal(other.call(ask), 'test.other');
    assert.equal(await one.later(ask), 'test.one');
    assert.equal(
      one.call(() => other.call(ask)),
      'test.other',
      'the one that calls, not one that made it call',
    );
  });

  it('is undefined when another extension lies between, or no file calls @caller.undefined-extension-lies', () => {
    const one = extension('one');
    const ask = () => callerOf([own, one], own)?.id;
    assert.equal(ask(), undefined);
    assert.equal(
      one.call(() => new Function('ask', 'return ask()')(ask)),
      undefined,
    );
    assert.equal(
      one.call(() => JSON.parse('{"a":1}', () => ask())),
      undefined,
    );
    const emitter = new EventEmitter();
    emitter.on('called', () => {
      assert.equal(ask(), undefined, 'a module of Node');
    });
    assert.ok(one.call(() => emitter.emit('called')));
    const unknown = extension('unknown');
    assert.equal(
      one.call(() => unknown.call(ask)),
      undefined,
      'code of no extension',
    );
  });

  it('matches the innermost real folder, and never one that only shares a prefix @caller.matches-innermost-real', () => {
    const [outer, inner, alike] = [extension('outer'), extension('outer/inner'), extension('outer-2')];
    const ask = () => callerOf([own, outer, inner], own)?.id;
    assert.equal(inner.call(ask), 'test.inner');
    assert.equal(outer.call(ask), 'test.outer');
    assert.equal(alike.call(ask), undefined);
    const linked = path.join(folder, 'linked');
    symlinkSync(outer.extensionPath, linked, 'junction');
    const byLink = { id: 'test.linked', extensionPath: linked };
    assert.equal(
      outer.call(() => callerOf([own, byLink], own)?.id),
      'test.linked',
    );
  });

  it('reads structured stack frames despite source maps, and leaves stack texts unchanged', () => {
    const one = extension('one');
    const before = Error.prepareStackTrace;
    const mapped = () => 'Error\n    at mapped (/elsewhere.ts:1:1)';
    Error.prepareStackTrace = mapped;
    try {
      assert.equal(
        one.call(() => callerOf([own, one], own)?.id),
        'test.one',
      );
      assert.equal(Error.prepareStackTrace, mapped);
    } finally {
      Error.prepareStackTrace = before as typeof mapped;
    }
  });

  it('accepts an ECMAScript module', async () => {
    const one = extension('one');
    const file = path.join(one.extensionPath, 'main.mjs');
    writeFileSync(file, 'export const call = act => act();');
    const loaded = (await import(pathToFileURL(file).href)) as Calling;
    assert.equal(
      loaded.call(() => callerOf([own, one], own)?.id),
      'test.one',
    );
  });
});

describe('the identity of an extension', () => {
  const extension = (more: object = {}, extensionPath = path.resolve('/extensions/acme.tools-1.0.0')) =>
    extensionIdentity({
      id: 'Acme.tools',
      extensionPath,
      packageJSON: { name: 'tools', displayName: 'Tools', publisher: 'acme', version: '1.0.0', ...more },
    } as vscode.Extension<unknown>);

  it('survives an update, and changes with its name or place', () => {
    const { fingerprint, ...known } = extension();
    assert.deepEqual([known.kind, known.id, known.name], ['extension', 'acme.tools', 'Tools']);
    assert.deepEqual(
      known.details.map(({ what }) => what),
      ['publisher', 'version', 'folder'],
    );
    const updated = extension({ version: '2.0.0' }, path.resolve('/extensions/acme.tools-2.0.0'));
    assert.equal(updated.fingerprint, fingerprint);
    assert.notEqual(extension({ displayName: 'Other' }).fingerprint, fingerprint);
    assert.notEqual(extension({}, path.resolve('/tmp/acme.tools')).fingerprint, fingerprint);
  });

  it('ignores the folder of extensions that come with the editor', () => {
    const at = (version: string) =>
      extension({ isBuiltin: true }, path.resolve(`/editor-${version}/tools`)).fingerprint;
    assert.equal(at('1'), at('2'));
  });

  it('is text, whatever the manifest contains', () => {
    const { name, details } = extension({ displayName: { a: 1 }, name: 7, publisher: undefined, version: ['x'] });
    assert.equal(name, 'Acme.tools');
    for (const { text } of details) assert.equal(typeof text, 'string');
  });
});
