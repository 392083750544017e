import assert from 'node:assert/strict';
import { exact, plain, visible, visibleLines } from '../../../src/host/text';

describe('text from servers', () => {
  it('is left as it is when there is nothing hidden in it', () => {
    for (const text of ['plain', 'Ünïcödé 日本語 한국어', 'emoji 🎉', '$(icon) **bold** <b>'])
      assert.equal(visible(text), text);
  });

  it('shows hidden characters: tags, bidi controls, zero width, escape sequences', () => {
    assert.equal(visible('a\u{e0041}b'), 'a⟨U+E0041⟩b');
    assert.equal(visible('safe\u202egnp.exe'), 'safe⟨U+202E⟩gnp.exe');
    assert.equal(visible('pay\u200bpal'), 'pay⟨U+200B⟩pal');
    assert.equal(visible('\u001b[31mred'), '⟨U+001B⟩[31mred');
  });

  it('stays on one line and within its bound', () => {
    assert.equal(visible('one\r\n\ttwo\nthree'), 'one two three');
    assert.equal(visible('x'.repeat(1_000_000), 10), `${'x'.repeat(10)}…`);
    assert.equal(visible(undefined), 'undefined');
  });

  it('keeps line breaks and tabs where several lines are allowed', () => {
    assert.equal(visibleLines('a\r\n\tb\u0007'), 'a\n\tb⟨U+0007⟩');
  });

  it('shows line breaks, odd spaces and long gaps too where a person judges it to the letter', () => {
    assert.equal(exact('a\nb\u00a0c'), 'a⟨U+000A⟩b⟨U+00A0⟩c');
    assert.equal(exact(`a  b${' '.repeat(40)}c`), 'a  b⟨40 spaces⟩c');
  });

  it('brings no link into a notification', () => {
    assert.equal(plain('[OK](command:workbench.x)'), '[OK] (command:workbench.x)');
  });
});
