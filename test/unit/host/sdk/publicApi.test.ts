import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRepository } from '../../../setup/paths';

/** Texts of all files of a folder with one of these endings. */
function texts(folder: string, ending: RegExp): { file: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => ending.test(file))
    .map(file => ({ file, text: readFileSync(join(folder, file), 'utf8') }));
}

/** Names of the private and the protected members of the SDK's classes, as its declarations tell them. */
function hiddenMembers(): Set<string> {
  const member = /^\s*(?:static )?(?:private|protected) (?:(?:static|readonly|abstract|get|set|async) )*([\w$]+)/gm;
  return new Set(
    ['client', 'core', 'server']
      .flatMap(name => texts(inRepository('node_modules/@modelcontextprotocol', name, 'dist'), /\.d\.mts$/))
      .flatMap(({ text }) => [...text.matchAll(member)].map(([, name]) => name!)),
  );
}

/** The package yauzl says in its manual that readers of a zip file have to override it. */
const OF_YAUZL = '_readStreamForRange';

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');

/** What in a source file goes past the public API. */
function reachesIn(text: string, hidden: ReadonlySet<string>): string[] {
  const code = withoutComments(text);
  const taken = [...code.matchAll(/[.'"`](_\w+)|\{[^{}()]*?\b(_\w+)[^{}()]*\}\s*=/g)];
  const named = taken.map(([, used, picked]) => used ?? picked!).filter(name => hidden.has(name));
  // Those without an underscore may have the name of something else: whoever takes one over writes this.
  const overridden = [...code.matchAll(/\b(?:override|protected)\s+(?:async\s+)?(\w+)\s*[(=<:]/g)]
    .map(([, name]) => name!)
    .filter(name => hidden.has(name) && new RegExp(`\\boverride\\s+(?:async\\s+)?${name}\\b`).test(code));
  const reflected = [...code.matchAll(/\bReflect\.\w+|\[\s*['"`]_(?!meta\b|_proto__)\w*|\boverride\s+_\w+/g)]
    .map(([found]) => found)
    .filter(found => found !== `override ${OF_YAUZL}`);
  return [...named, ...overridden, ...reflected];
}

describe('the seam to the SDK', () => {
  const hidden = hiddenMembers();

  it('uses the public API: nothing in src touches private or protected members of the SDK', () => {
    const found = texts(inRepository('src'), /\.ts$/).flatMap(({ file, text }) =>
      reachesIn(text, hidden).map(what => `${file}: ${what}`),
    );
    assert.deepEqual(found, []);
  });

  it('is checked by a test that detects each way around it', () => {
    for (const name of ['_requestMessageId', '_timeoutInfo', '_wrapHandler', 'buildContext'])
      assert.ok(hidden.has(name), name);
    for (const code of [
      "Reflect.get(this, '_requestMessageId')",
      'client._timeoutInfo',
      "client['_progressHandlers']",
      'const { _transport } = client',
      'protected override _onclose(): void {',
      'protected override buildContext(context) {',
      "client['_unheard of']",
    ])
      assert.notDeepEqual(reachesIn(code, hidden), [], code);
    assert.deepEqual(reachesIn('// client._transport\nparams._meta; override send(message) {}', hidden), []);
  });
});
