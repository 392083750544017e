import assert from 'node:assert/strict';
import {
  exact,
  hasHidden,
  matches,
  plain,
  plainMarkdown,
  revealed,
  rowText,
  visible,
  visibleJson,
  visibleJsonText,
  visibleLines,
} from '../../../src/base/text';
import { assertKept } from '../keptMemory';

describe('visible', () => {
  it('leaves text without hidden characters unchanged', () => {
    for (const text of ['plain', 'Ünïcödé 日本語 한국어', 'emoji 🎉', '$(icon) **bold** <b>'])
      assert.equal(visible(text), text);
  });

  it('shows hidden characters: tags, bidi controls, zero width, escape sequences @text.shows-hidden-characters', () => {
    assert.equal(visible('a\u{e0041}b'), 'a⟨U+E0041⟩b');
    assert.equal(visible('safe\u202egnp.exe'), 'safe⟨U+202E⟩gnp.exe');
    assert.equal(visible('pay\u200bpal'), 'pay⟨U+200B⟩pal');
    assert.equal(visible('\u001b[31mred'), '⟨U+001B⟩[31mred');
  });

  it('keeps nothing of a long text but the beginning that it shows @text.keeps-beginning', async () => {
    const kept: string[] = [];
    await assertKept(50_000_000, () => {
      for (let at = 0; at < 10; at++) {
        const text = Buffer.alloc(10_000_000, 'x').toString();
        kept.push(visible(text), visibleLines(text, 1_000));
      }
    });
    assert.equal(kept.join('').length, 10 * (201 + 1_001));
  });

  it('stays on one line and within its bound', () => {
    assert.equal(visible('one\r\n\ttwo\nthree'), 'one two three');
    assert.equal(visible('x'.repeat(1_000_000), 10), `${'x'.repeat(10)}…`);
    assert.equal(visible(undefined), 'undefined');
  });

  it('keeps line breaks and tabs in visibleLines', () => {
    assert.equal(visibleLines('a\r\n\tb\u0007'), 'a\n\tb⟨U+0007⟩');
  });

  it('shows line breaks, odd spaces and long gaps in exact', () => {
    assert.equal(exact('a\nb\u00a0c'), 'a⟨U+000A⟩b⟨U+00A0⟩c');
    assert.equal(exact(`a  b${' '.repeat(40)}c`), 'a  b⟨40 spaces⟩c');
  });

  it('breaks links and icons in plain, which is idempotent @text.breaks-links-icons', () => {
    assert.equal(plain('[OK](command:workbench.x)'), '[OK] (command:workbench.x)');
    assert.equal(plain('$(alert) $(sync~spin) $5 $(not an icon)'), '$ (alert) $ (sync~spin) $5 $(not an icon)');
    assert.equal(plain('\\$(alert)'), '$ (alert)');
    assert.equal(plain('[a\u200b](command:x)\u202e'), '[a⟨U+200B⟩] (command:x)⟨U+202E⟩');
    for (const text of ['[OK](command:x)', '$(alert)', '[$(x)](command:$(y))', '[[a](b)](command:c)']) {
      const once = plain(text);
      assert.equal(plain(once), once);
      // As the editor finds them: `parseLinkedText`, `renderLabelWithIcons`.
      assert.doesNotMatch(once, /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i);
      assert.doesNotMatch(once, /\$\([A-Za-z0-9-]+(~[A-Za-z]+)?\)/);
    }
  });
});

const DI = /\p{Default_Ignorable_Code_Point}/u;
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** Every code point there is, in order. */
function* codePoints(): Generator<string> {
  for (let code = 0; code <= 0x10ffff; code++) yield String.fromCodePoint(code);
}

describe('every code point of Unicode', () => {
  const places = (character: string) => [
    `a${character}b`,
    `🎉${character}🎉`,
    `ב${character}ג`,
    `1${character}`,
    character,
  ];

  it('that is ignored by default is made visible for people and models, anywhere @text.ignored-default-made', function () {
    this.timeout(60_000);
    let ignored = 0;
    for (const character of codePoints()) {
      if (!DI.test(character)) continue;
      ignored++;
      for (const text of places(character)) {
        for (const shown of [visible(text), visibleLines(text), plain(text), exact(text), revealed(text)]) {
          if (!DI.test(shown)) continue;
          // The one of an emoji that it belongs to.
          const rest = shown.replace(/\p{RGI_Emoji}/gv, '');
          assert.doesNotMatch(rest, DI, `U+${character.codePointAt(0)!.toString(16)}`);
        }
        assert.doesNotMatch(visibleJson(text).replace(/\p{RGI_Emoji}/gv, ''), DI);
      }
    }
    assert.ok(ignored > 4_000, `${ignored} are ignored by default`);
  });

  it('that is a control, a format, a surrogate, private use or a separator is made visible for people', function () {
    this.timeout(60_000);
    for (const character of codePoints()) {
      if (!HIDDEN.test(character)) continue;
      assert.doesNotMatch(visible(`a${character}b`), HIDDEN);
      assert.doesNotMatch(visibleLines(`a${character}b`).replace(/[\t\n]/g, ''), HIDDEN);
      assert.doesNotMatch(exact(`a${character}b`), HIDDEN);
    }
  });

  it('of any other kind is unchanged', function () {
    this.timeout(60_000);
    const blank = /[\p{Z}\p{Cn}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/u;
    for (const character of codePoints()) {
      if (HIDDEN.test(character) || blank.test(character)) continue;
      assert.equal(visible(`a${character}b`), `a${character}b`);
      assert.equal(revealed(character), character);
    }
  });
});

describe('characters that text needs', () => {
  it('are kept: emoji, as Unicode lists them @text.kept-emoji-unicode', () => {
    for (const emoji of ['❤️', '👨‍👩‍👧‍👦', '🏳️‍🌈', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '👍🏽', '🇯🇵', '☺️'])
      for (const show of [visible, visibleLines, plain, revealed]) assert.equal(show(`a ${emoji} b`), `a ${emoji} b`);
  });

  it('are kept: joiners between letters of scripts that need them', () => {
    for (const word of ['می‌خواهم', 'क्‍ष', 'ශ්‍රී', 'ব্‌যা']) assert.equal(visible(word), word);
    assert.equal(visible('pay\u200dpal'), 'pay⟨U+200D⟩pal');
    assert.equal(visible('م\u200d\u200dم'), 'م⟨U+200D⟩⟨U+200D⟩م');
    assert.equal(visible('\u200cم'), '⟨U+200C⟩م');
  });

  it('are kept: single French and Japanese spaces; other odd ones are shown in names', () => {
    assert.equal(visible('« Ça va\u00a0? »'), '« Ça va\u00a0? »');
    assert.equal(visible('東京\u3000大阪'), '東京\u3000大阪');
    assert.equal(visible('a\u00a0\u00a0b\u2003c'), 'a⟨U+00A0⟩⟨U+00A0⟩b⟨U+2003⟩c');
    assert.equal(visible('a\u2800b'), 'a⟨U+2800⟩b');
  });

  it('do not hide others: more of them than an emoji has are shown', () => {
    assert.equal(visible('❤️\ufe0f'), '❤️⟨U+FE0F⟩');
    assert.equal(visible('a\ufe0f\u{e0100}'), 'a⟨U+FE0F⟩⟨U+E0100⟩');
    assert.equal(visible('🎉\u{e0041}\u{e007f}'), '🎉⟨U+E0041⟩⟨U+E007F⟩');
    assert.equal(visible('\u2065\u{e0080}\u3164\u115f\u00ad'), '⟨U+2065⟩⟨U+E0080⟩⟨U+3164⟩⟨U+115F⟩⟨U+00AD⟩');
  });

  it('are not cut in half by a limit', () => {
    assert.equal(visible('ab🎉', 3), 'ab…');
    assert.equal(visible('a🎉', 3), 'a🎉');
    assert.equal(visibleLines('ab🎉c', 3), 'ab…');
  });

  it('are distinguished from hidden ones in linear time', () => {
    // Counted in what is looked at, not in time: the class and the letters around it are all that a place depends on.
    const text = `${'م\u200dم'.repeat(20_000)}\u200b`;
    assert.equal(revealed(text), `${text.slice(0, -1)}⟨U+200B⟩`);
    assert.ok(hasHidden(text));
    assert.ok(!hasHidden('x'.repeat(1_000_000)));
  });

  it('are examined one by one up to a number, then shown where they are @text.examined-one-one', () => {
    const text = `${'👩\u200d💻a\u200b'.repeat(50_000)}a${'\u202e'.repeat(3)}b\u{e0041}c`;
    assert.equal(revealed(text), `${'👩\u200d💻a⟨U+200B⟩'.repeat(50_000)}a⟨…⟩b⟨…⟩c`);
    const json = visibleJsonText(JSON.stringify(text));
    assert.ok(JSON.parse(json) === text && json.endsWith('a\\u202e\\u202e\\u202eb\\udb40\\udc41c"'));
    assert.ok(hasHidden('م\u200dم'.repeat(200_000)));
  });

  it('or cover others: of marks in a row, 30 are drawn @text.30-marks', () => {
    const [few, many] = ['\u0316'.repeat(30), '\u0300'.repeat(1_000)];
    for (const show of [visible, visibleLines, plain, revealed])
      assert.equal(show(`a${few}${many}b`.slice(0, 150)), `a${few}⟨…⟩`);
    assert.equal(exact(`a${few}\u0300b`), `a${few}⟨U+0300⟩b`);
    assert.equal(visibleJsonText(`"a${few}\u0300b"`), `"a${few}\\u0300b"`);
    assert.ok(hasHidden(`a${few}${many}`) && !hasHidden(`a${few}b`));
  });

  it('are sought only beside possibly hidden ones, so no run is too long @text.sought-beside-possibly', () => {
    const digits = '1'.repeat(10_000_000);
    assert.ok(revealed(`${digits}\u200b`).endsWith('1⟨U+200B⟩'));
    assert.ok(revealed(`${'🎉'.repeat(1_000_000)}\ufe0f👨🏽\u200d⚕\ufe0f`).endsWith('🎉⟨U+FE0F⟩👨🏽\u200d⚕\ufe0f'));
  });
});

describe('wildcards', () => {
  it('match in linear time, however many stars they have', () => {
    const long = 'a'.repeat(20_000);
    assert.equal(matches(`${'a*'.repeat(200)}b`, long), false);
    assert.equal(matches('*'.repeat(20_000), long), true);
    assert.ok(matches('**', '') && !matches('', 'a') && matches('', ''));
    assert.ok(matches('a*b*c', 'a-b-b-c') && !matches('a*b*c', 'a-c-b'));
  });
});

describe('rowText', () => {
  it('breaks icons', () => {
    assert.equal(rowText('$(trash) all $(sync~spin)'), '\\$(trash) all \\$(sync~spin)');
  });

  it('leaves other text unchanged', () => {
    assert.equal(rowText('$(not an icon) $5 (x)'), '$(not an icon) $5 (x)');
  });

  it('shows hidden characters', () => {
    assert.equal(rowText('a\u202eb\nc'), 'a⟨U+202E⟩b c');
  });
});

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
