import assert from 'node:assert/strict';
import {
  essence,
  extensionsOf,
  isJson,
  mediaKindOf,
  mediaKindOfExtension,
} from '../../../../../src/features/resources/core/mimeTypes';

describe('MIME types', () => {
  it('are read ignoring parameters, case and spelling variants', () => {
    assert.equal(essence(' Text/X-TypeScript ;charset=utf-8'), 'text/typescript');
    assert.equal(essence('image/jpg'), 'image/jpeg');
    for (const none of [undefined, '', 'text', 'a/b/c', 'text/ plain', '__proto__', 'x'.repeat(1_000)])
      assert.equal(essence(none), undefined);
  });

  it('have extensions', () => {
    assert.equal(extensionsOf('text/x-python')[0], 'py');
    assert.equal(extensionsOf('application/ld+json')[0], 'json');
    assert.equal(extensionsOf('application/atom+xml')[0], 'xml');
    assert.equal(extensionsOf('image/svg+xml')[0], 'svg');
    assert.deepEqual(extensionsOf('application/x-unheard-of'), []);
    assert.deepEqual(extensionsOf('__proto__/x'), []);
  });

  it('determine the kind of editor', () => {
    const kinds = {
      'text/anything': 'text',
      'application/json': 'text',
      'application/x-sh': 'text',
      'image/svg+xml': 'text',
      'application/problem+json': 'text',
      'image/png': 'image',
      'audio/mpeg': 'audio',
      'video/mp4': 'video',
      'application/pdf': 'pdf',
      'application/zip': 'binary',
      'application/octet-stream': undefined,
      '': undefined,
    };
    for (const [type, kind] of Object.entries(kinds)) assert.equal(mediaKindOf(type), kind, type);
    assert.deepEqual(['PNG', 'mp3', 'md', 'constructor'].map(mediaKindOfExtension), [
      'image',
      'audio',
      undefined,
      undefined,
    ]);
  });

  it('recognize JSON', () => {
    assert.deepEqual(['application/json', 'text/json', 'a/b+json; x=y', 'application/jsonl', undefined].map(isJson), [
      ...[true, true, true, false, false],
    ]);
  });
});
