import assert from 'node:assert/strict';
import { imageTypeOf } from '../../../../../src/features/languageModel/core/contentPlan';
import { chequeredPng } from '../../../../servers/content/png';

const png = chequeredPng(16);

describe('imageTypeOf', () => {
  it('returns the type of the bytes, and nothing for truncated or altered ones @imageType.returns-type-bytes', () => {
    const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    assert.equal(imageTypeOf(png), 'image/png');
    assert.equal(imageTypeOf(gif), 'image/gif');
    for (let length = 0; length < png.length; length++) assert.equal(imageTypeOf(png.subarray(0, length)), undefined);
    for (let at = 8; at < png.length; at++) {
      const changed = Buffer.from(png);
      changed[at]! ^= 1;
      assert.equal(imageTypeOf(changed), undefined, `byte ${at}`);
    }
    for (const start of ['ffd8ff', '52494646ffffffff57454250', '474946383961']) {
      assert.equal(imageTypeOf(Buffer.from(start, 'hex')), undefined);
      assert.equal(imageTypeOf(Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(200)])), undefined);
    }
  });
});
