import assert from 'node:assert/strict';
import { plainMarkdown } from '../../../src/base/text';

describe('plainMarkdown', () => {
  it('escapes all that markdown, HTML, links or icons consist of', () => {
    const hostile = '![x](https://evil/a.png) [a](command:run) <img src=x> `c` **b** $(zap) www.a.b a@b.c # | ~~';
    assert.doesNotMatch(plainMarkdown(hostile).replace(/&#\d+;/g, ''), /[^\w\s]/);
  });

  it('keeps words, spaces between them and indentation', () => {
    assert.equal(plainMarkdown('two words\n  indented'), 'two words  \n&nbsp;&nbsp;indented');
    assert.equal(plainMarkdown('日本 ü'), '日本 ü');
  });
});
