import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type ArgumentCondition,
  isKeepable,
  originOf,
  parseRule,
  pointerOf,
  ruleHolds,
} from '../../../../../src/features/trust/core/argumentRules';
import { temporaryFolder } from '../../../../setup/paths';

const any = (path: string): ArgumentCondition => ({ path, is: 'any' });
const equals = (path: string, value: unknown): ArgumentCondition => ({ path, is: 'equals', value });

describe('a rule about arguments', () => {
  it('must mention every argument of the call to apply @argumentRules.mention-argument-call', () => {
    assert.ok(ruleHolds([equals('/a', 1)], { a: 1 }));
    assert.ok(!ruleHolds([equals('/a', 1)], { a: 1, b: 2 }));
    assert.ok(ruleHolds([equals('/a', 1), any('/b')], { a: 1, b: { deep: [1, { x: null }] } }));
    assert.ok(ruleHolds([], {}));
    assert.ok(!ruleHolds([], { a: undefined, b: null }));
    assert.ok(!ruleHolds([], { a: {} }));
    assert.ok(!ruleHolds([], { a: [] }));
  });

  it('applies only when all its arguments are present, except those that may be anything', () => {
    assert.ok(!ruleHolds([equals('/a', 1), equals('/b', 2)], { a: 1 }));
    assert.ok(ruleHolds([equals('/a', 1), any('/b')], { a: 1 }));
    assert.ok(!ruleHolds([{ path: '/p', is: 'below', folder: tmpdir() }], {}));
    assert.ok(!ruleHolds([{ path: '/u', is: 'host', hosts: ['https://good.example'] }], {}));
    assert.ok(!ruleHolds([{ path: '/u/*', is: 'host', hosts: ['https://good.example'] }], { u: [] }));
  });

  it('compares values as JSON does, and no looser', () => {
    const rule = [equals('/a', { x: [1, 'b', null], y: true })];
    assert.ok(ruleHolds(rule, { a: { y: true, x: [1, 'b', null] } }));
    for (const a of [{ x: ['1', 'b', null], y: true }, { x: [1, 'b'], y: true }, { y: true }, 'x', null, [1]]) {
      assert.ok(!ruleHolds(rule, { a }), JSON.stringify(a));
    }
    assert.ok(!ruleHolds([equals('/a', '1')], { a: 1 }));
    assert.ok(!ruleHolds([equals('/a', 'r')], { a: ['r'] }));
    assert.ok(!ruleHolds([equals('/a', 'r')], { a: { toString: 'r' } }));
    assert.ok(!ruleHolds([equals('/a', '\u00e9')], { a: 'e\u0301' }));
  });

  it('points into objects and lists; odd names are themselves', () => {
    for (const name of ['a/b', 'a~b', '*', '~2', '~02', '', '__proto__', '0', '\0*']) {
      const args = JSON.parse(JSON.stringify({ outer: { [name]: 1 } })) as Record<string, unknown>;
      assert.ok(ruleHolds([equals(pointerOf(['outer', name]), 1)], args), JSON.stringify(name));
      assert.ok(!ruleHolds([equals(pointerOf(['outer', 'other']), 1)], args));
    }
    const proto = JSON.parse('{"o":{"__proto__":"x"}}') as Record<string, unknown>;
    assert.ok(ruleHolds([equals('/o/__proto__', 'x')], proto));
    assert.ok(!ruleHolds([equals('/o/__proto__', {})], { o: {} }));
    // The items of a list, and not the members of an object.
    const items: ArgumentCondition = { path: '/u/*', is: 'host', hosts: ['https://good.example'] };
    assert.ok(ruleHolds([items], { u: ['https://good.example/a', 'https://good.example'] }));
    assert.ok(!ruleHolds([items], { u: ['https://good.example/a', 'https://evil.example'] }));
    assert.ok(!ruleHolds([items], { u: ['https://good.example/a', ['https://good.example']] }));
    assert.ok(!ruleHolds([items], { u: { '*': 'https://good.example' } }));
    assert.ok(!ruleHolds([items], { u: 'https://good.example' }));
    assert.ok(!ruleHolds([equals('/l/0', 1)], { l: [1] }));
    assert.ok(!ruleHolds([any(pointerOf(['l', '\0*']))], { l: [1] }));
  });

  it('does not hold for arguments that are too many or too deep to be looked at', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`a${number}`, 1]));
    assert.ok(!ruleHolds([any('/x')], { x: many }));
    let deep: unknown = 1;
    for (let level = 0; level < 1_000; level++) deep = [deep];
    assert.ok(!ruleHolds([any('/x')], { x: deep }));
    assert.ok(!isKeepable(deep));
    assert.ok(!isKeepable('x'.repeat(2_000)));
  });

  it('is read from storage as it was, or not at all', () => {
    const rule = [any('/a'), equals('/b', [1]), { path: '/c', is: 'host', hosts: ['https://x.example'] }];
    assert.deepEqual(parseRule(JSON.parse(JSON.stringify(rule))), rule);
    for (const spoiled of [
      {},
      [{}],
      [null],
      [any('')],
      [any('a')],
      [{ path: '/a', is: 'equals' }],
      [{ path: '/a', is: 'below', folder: 'relative' }],
      [{ path: '/a', is: 'below', folder: '/x/../y' }],
      [{ path: '/a', is: 'host', hosts: [] }],
      [{ path: '/a', is: 'host', hosts: [1] }],
      [{ path: '/a', is: 'all' }],
      [any('/a'), { path: '/b', is: 'regex' }],
    ])
      assert.equal(parseRule(spoiled), undefined, JSON.stringify(spoiled));
  });

  describe('about a folder', () => {
    let root: string;
    let inside: string;
    before(() => {
      root = temporaryFolder();
      inside = join(root, 'in');
      mkdirSync(join(inside, 'deep'), { recursive: true });
      mkdirSync(join(root, 'in-not'));
      mkdirSync(join(root, 'out'));
      writeFileSync(join(inside, 'file.txt'), '');
      symlinkSync(join(root, 'out'), join(inside, 'escape'));
      symlinkSync(join(root, 'out', 'none'), join(inside, 'dangling'));
      symlinkSync(join(inside, 'loop'), join(inside, 'loop'));
      symlinkSync(join(inside, 'deep'), join(inside, 'stays'));
      symlinkSync(inside, join(root, 'alias'));
    });
    const isIn = (value: unknown) => ruleHolds([{ path: '/p', is: 'below', folder: inside }], { p: value });

    it('applies within it at any depth, to existing and new files, as path and as URI', () => {
      for (const way of ['', 'file.txt', 'deep', 'deep/', 'none', 'none/deeper/x', './file.txt', 'a..b', 'a%20b']) {
        assert.ok(isIn(`${inside}/${way}`), way);
      }
      assert.ok(isIn(inside));
      assert.ok(isIn(join(inside, 'stays', 'x')));
      assert.ok(isIn(join(root, 'alias', 'file.txt')), 'another way in');
      assert.ok(isIn(pathToFileURL(join(inside, 'ä b#c')).href));
      assert.ok(isIn(`file://localhost${inside}/x`));
    });

    it('does not hold elsewhere, whatever the way is called @argumentRules.hold-elsewhere-way', () => {
      for (const value of [
        `${root}/out`,
        `${root}/in-not/x`,
        root,
        '/',
        `${inside}/../out`,
        `${inside}/deep/../../in/file.txt`,
        `${inside}/..`,
        `${inside}/..\\out`,
        `${inside}\\..\\..\\out`,
        `${inside}/.. /out`,
        `${inside}/..%2fout`,
        `${inside}/%2e%2e/out`,
        `${inside}/..%252fout`,
        `${inside}/%5c..%5cout`,
        `${inside}/x%00`,
        `${inside}/x\0`,
        ` ${inside}/x`,
        'in/file.txt',
        './file.txt',
        '~/x',
        '',
        `file:${inside}`,
        `file://evil${inside}/x`,
        `file://${inside}/%2e%2e/out`,
        `file://${inside}/..%2fout`,
        `file://${inside}/../out`,
        `file://${inside}/a%2Fb`,
        `file://${inside}/x?y`,
        `file://${inside}/x#y`,
        `https://host${inside}/x`,
        `${'/x'.repeat(40_000)}`,
      ])
        assert.ok(!isIn(value), JSON.stringify(value.slice(0, 200)));
      for (const value of [7, true, null, [inside], { path: inside }]) assert.ok(!isIn(value), JSON.stringify(value));
    });

    it('does not apply to texts that some programs read differently @argumentRules.apply-texts-some', () => {
      for (const way of [
        'a,/etc/passwd',
        'a:/etc/passwd',
        'a /etc/passwd',
        'a "/etc/passwd"',
        'a\n/etc/passwd',
        'a,~/x',
        'a --to=/etc/passwd',
        'x.sh; curl evil',
        'x.sh && curl evil',
        'x.sh | sh',
        'x.sh -e evil',
        '$(curl evil)',
        '`curl evil`',
        'a ../../out',
        '..;/out',
        '{a,..}/out',
        '.{.,}/out',
        '*/x',
        'escap?/x',
        'esc[a]pe/x',
        'deep\\..\\x',
        // Elsewhere a backslash is a sign of a name, which many take for a separator.
        ...(sep === '/' ? ['none\\escape\\x'] : []),
        '\uff0e\uff0e/out',
        '\u2025/out',
        'a\uff0f..\uff0fout',
        // Our own link, once somebody has decoded it; or a link by that name, for who has not.
        '%65scape/x',
        '%2565scape/x',
        '%65scape/100%',
        '%65scape/%ff',
      ]) {
        assert.ok(!isIn(`${inside}/${way}`), JSON.stringify(way));
        assert.ok(!isIn(`file://${inside}/${way}`), JSON.stringify(way));
      }
      symlinkSync(join(root, 'out'), join(inside, 'b%20c'));
      assert.ok(!isIn(`file://${inside}/b%20c/x`));
      writeFileSync(join(inside, '[id].tsx'), '');
      for (const way of ['[id].tsx', 'Foo - Bar (1).txt', "Bob's", 'a=b, c', '100%', 'x…', '資料（１）/x'])
        assert.ok(isIn(`${inside}/${way}`), way);
    });

    it('does not apply to links that lead out, in a circle, or nowhere @argumentRules.apply-links-lead', () => {
      for (const way of ['escape', 'escape/x', 'dangling', 'loop', 'loop/x', 'file.txt/x']) {
        assert.ok(!isIn(join(inside, way)), way);
      }
    });

    it('does not follow the folder when it becomes a link', () => {
      const folder = join(root, 'swapped');
      const rule: ArgumentCondition[] = [{ path: '/p', is: 'below', folder }];
      mkdirSync(folder);
      assert.ok(ruleHolds(rule, { p: join(folder, 'x') }));
      rmSync(folder, { recursive: true });
      symlinkSync(join(root, 'out'), folder);
      assert.ok(!ruleHolds(rule, { p: join(folder, 'x') }));
    });
  });

  describe('about a host', () => {
    const hosts = [
      'https://good.example',
      'http://localhost:3000',
      'https://xn--bcher-kva.example',
      'https://[::1]:8443',
    ];
    const isThere = (u: unknown) => ruleHolds([{ path: '/u', is: 'host', hosts }], { u });

    it('holds for every address on it, however that is written', () => {
      for (const address of [
        'https://good.example',
        'https://good.example/a?b#c@d',
        'HTTPS://GOOD.EXAMPLE:443/',
        'https://good.example./x',
        'http://localhost:3000/x',
        'https://bücher.example/x',
        'https://xn--bcher-kva.example',
        'https://[::1]:8443/x',
      ])
        assert.ok(isThere(address), address);
    });

    it('does not hold for another one, whatever it is made to look like @argumentRules.hold-made-look', () => {
      for (const address of [
        'https://evil.example',
        'https://good.example.evil.example',
        'https://good@evil.example',
        'https://good.example@evil.example/',
        'https://good.example:443@evil.example',
        'https://user:pass@good.example/',
        'https://@good.example/',
        'https://good.example%40evil.example/',
        'https://good.example\\@evil.example',
        'https://evil.example\\good.example',
        'https:\\\\good.example',
        'https:///good.example',
        'https:good.example',
        '//good.example',
        'good.example',
        ' https://good.example',
        'https://good.example\n',
        'https://good\t.example',
        'https://good\u200b.example',
        'https://good\uff0eexample',
        'https://good.example\u3002evil.example',
        'http://good.example',
        'https://good.example:8443',
        'http://localhost:3001',
        'http://localhost',
        'http://127.0.0.1:3000',
        'ftp://good.example',
        'file://good.example/x',
        'javascript:https://good.example',
        'https://good.example/,https://evil.example/',
        '',
      ])
        assert.ok(!isThere(address), JSON.stringify(address));
      for (const value of [7, null, ['https://good.example'], { href: 'https://good.example' }]) {
        assert.ok(!isThere(value), JSON.stringify(value));
      }
    });

    it('is offered only for unambiguous addresses', () => {
      for (const host of ['0177.0.0.1', '127.1', '2130706433', '0x7f.0.0.1', '[0:0::1]', 'fa\u00df.de', 'x\u03c2.gr'])
        assert.equal(originOf(`http://${host}/`), undefined, host);
      assert.equal(originOf('http://127.0.0.1:80/'), 'http://127.0.0.1');
      assert.equal(originOf('https://Bücher.example./x'), 'https://xn--bcher-kva.example');
      assert.equal(originOf('wss://a.example:9000/x'), 'wss://a.example:9000');
      assert.equal(originOf('https://a@b.example'), undefined);
    });
  });
});
