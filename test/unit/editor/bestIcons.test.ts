import assert from 'node:assert/strict';
import { bestFirst, type Icon, iconFor } from '../../../src/editor/fetchedIcons';

const icon = (src: string, rest: Omit<Icon, 'src'> = {}): Icon => ({ src, ...rest });
const order = (...icons: Icon[]) => bestFirst(icons).map(({ src }) => src);

describe('the icons of an item', () => {
  it('without sizes fit any size', () => {
    assert.deepEqual(order(icon('48', { sizes: ['48x48'] }), icon('none'), icon('empty', { sizes: [] })), [
      'none',
      'empty',
      '48',
    ]);
  });

  it('that scale or are a little larger come before smaller ones and sizes that are none', () => {
    assert.deepEqual(
      order(
        icon('16', { sizes: ['16x16'] }),
        icon('odd', { sizes: ['big'] }),
        icon('64', { sizes: ['64x64'] }),
        icon('any', { sizes: ['16x16', 'any'] }),
        icon('32', { sizes: ['32x32'] }),
      ),
      ['any', '32', '64', 'odd', '16'],
    );
  });

  it('are chosen by theme, and those without one fit any', () => {
    const [dark, plain, light] = [icon('dark', { theme: 'dark' }), icon('plain'), icon('light', { theme: 'light' })];
    const chosen = (...icons: Icon[]) => ['light', 'dark'].map(theme => iconFor(theme, icons)?.src);
    assert.deepEqual(chosen(dark, plain), ['plain', 'dark']);
    assert.deepEqual(chosen(plain, dark, light), ['light', 'dark']);
    assert.deepEqual(chosen(dark), ['dark', 'dark']);
    assert.deepEqual(chosen(), [undefined, undefined]);
  });
});
