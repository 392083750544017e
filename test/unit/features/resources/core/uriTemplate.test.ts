import assert from 'node:assert/strict';
import {
  TemplateError,
  type TemplateValue,
  templateValue,
  templateValues,
  UriTemplate,
} from '../../../../../src/features/resources/core/uriTemplate';

/** The variables of RFC 6570, section 3.2. `undef` is none. */
const VALUES: Record<string, TemplateValue> = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: [],
};

/** The examples of RFC 6570, sections 3.2.1 to 3.2.9 and 2.4.1. */
const EXAMPLES: Record<string, string> = {
  '{count}': 'one,two,three',
  '{count*}': 'one,two,three',
  '{/count}': '/one,two,three',
  '{/count*}': '/one/two/three',
  '{;count}': ';count=one,two,three',
  '{;count*}': ';count=one;count=two;count=three',
  '{?count}': '?count=one,two,three',
  '{?count*}': '?count=one&count=two&count=three',
  '{&count*}': '&count=one&count=two&count=three',
  '{var}': 'value',
  '{hello}': 'Hello%20World%21',
  '{half}': '50%25',
  'O{empty}X': 'OX',
  'O{undef}X': 'OX',
  '{x,y}': '1024,768',
  '{x,hello,y}': '1024,Hello%20World%21,768',
  '?{x,empty}': '?1024,',
  '?{x,undef}': '?1024',
  '?{undef,y}': '?768',
  '{var:3}': 'val',
  '{var:30}': 'value',
  '{list}': 'red,green,blue',
  '{list*}': 'red,green,blue',
  '{keys}': 'semi,%3B,dot,.,comma,%2C',
  '{keys*}': 'semi=%3B,dot=.,comma=%2C',
  '{+var}': 'value',
  '{+hello}': 'Hello%20World!',
  '{+half}': '50%25',
  '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
  '{+base}index': 'http://example.com/home/index',
  'O{+empty}X': 'OX',
  'O{+undef}X': 'OX',
  '{+path}/here': '/foo/bar/here',
  'here?ref={+path}': 'here?ref=/foo/bar',
  'up{+path}{var}/here': 'up/foo/barvalue/here',
  '{+x,hello,y}': '1024,Hello%20World!,768',
  '{+path,x}/here': '/foo/bar,1024/here',
  '{+path:6}/here': '/foo/b/here',
  '{+list}': 'red,green,blue',
  '{+list*}': 'red,green,blue',
  '{+keys}': 'semi,;,dot,.,comma,,',
  '{+keys*}': 'semi=;,dot=.,comma=,',
  '{#var}': '#value',
  '{#hello}': '#Hello%20World!',
  '{#half}': '#50%25',
  'foo{#empty}': 'foo#',
  'foo{#undef}': 'foo',
  '{#x,hello,y}': '#1024,Hello%20World!,768',
  '{#path,x}/here': '#/foo/bar,1024/here',
  '{#path:6}/here': '#/foo/b/here',
  '{#list*}': '#red,green,blue',
  '{#keys*}': '#semi=;,dot=.,comma=,',
  '{.who}': '.fred',
  '{.who,who}': '.fred.fred',
  '{.half,who}': '.50%25.fred',
  'www{.dom*}': 'www.example.com',
  'X{.var}': 'X.value',
  'X{.empty}': 'X.',
  'X{.undef}': 'X',
  'X{.var:3}': 'X.val',
  'X{.list}': 'X.red,green,blue',
  'X{.list*}': 'X.red.green.blue',
  'X{.keys}': 'X.semi,%3B,dot,.,comma,%2C',
  'X{.keys*}': 'X.semi=%3B.dot=..comma=%2C',
  'X{.empty_keys}': 'X',
  'X{.empty_keys*}': 'X',
  '{/who}': '/fred',
  '{/who,who}': '/fred/fred',
  '{/half,who}': '/50%25/fred',
  '{/who,dub}': '/fred/me%2Ftoo',
  '{/var,empty}': '/value/',
  '{/var,undef}': '/value',
  '{/var,x}/here': '/value/1024/here',
  '{/var:1,var}': '/v/value',
  '{/list*,path:4}': '/red/green/blue/%2Ffoo',
  '{/keys}': '/semi,%3B,dot,.,comma,%2C',
  '{/keys*}': '/semi=%3B/dot=./comma=%2C',
  '{;who}': ';who=fred',
  '{;half}': ';half=50%25',
  '{;empty}': ';empty',
  '{;v,empty,who}': ';v=6;empty;who=fred',
  '{;v,bar,who}': ';v=6;who=fred',
  '{;hello:5}': ';hello=Hello',
  '{;list*}': ';list=red;list=green;list=blue',
  '{;keys}': ';keys=semi,%3B,dot,.,comma,%2C',
  '{;keys*}': ';semi=%3B;dot=.;comma=%2C',
  '{?who}': '?who=fred',
  '{?x,y}': '?x=1024&y=768',
  '{?x,y,empty}': '?x=1024&y=768&empty=',
  '{?x,y,undef}': '?x=1024&y=768',
  '{?var:3}': '?var=val',
  '{?list}': '?list=red,green,blue',
  '{?list*}': '?list=red&list=green&list=blue',
  '{?keys}': '?keys=semi,%3B,dot,.,comma,%2C',
  '{?keys*}': '?semi=%3B&dot=.&comma=%2C',
  '{&who}': '&who=fred',
  '?fixed=yes{&x}': '?fixed=yes&x=1024',
  '{&x,y,empty}': '&x=1024&y=768&empty=',
  '{&var:3}': '&var=val',
  '{&keys*}': '&semi=%3B&dot=.&comma=%2C',
};

describe('a URI template', () => {
  for (const [template, uri] of Object.entries(EXAMPLES)) {
    it(`${template} becomes ${uri}`, () => assert.equal(new UriTemplate(template).expand(VALUES), uri));
  }

  it('encodes as UTF-8, splits between characters, and keeps literals as far as a URI allows', () => {
    assert.equal(new UriTemplate('{a}').expand({ a: 'ö 日🗣' }), '%C3%B6%20%E6%97%A5%F0%9F%97%A3');
    assert.equal(new UriTemplate('{a:1}').expand({ a: '🗣x' }), '%F0%9F%97%A3');
    assert.equal(new UriTemplate('{+a}').expand({ a: 'a%20b%zz' }), 'a%20b%25zz');
    assert.equal(new UriTemplate('x:/a b/%41/é{a}').expand({}), 'x:/a%20b/%41/%C3%A9');
    assert.equal(new UriTemplate('{a}').expand({ a: '\ud800' }), '%EF%BF%BD');
  });

  it('lists each variable once, with those required without which the URI makes no sense', () => {
    const { variables } = new UriTemplate('x://{host}{/path*}/{+rest}{?q,host}{#top}');
    assert.deepEqual(
      variables.map(({ name, required, several }) => [name, required, several]),
      [
        ['host', true, false],
        ['path', false, true],
        ['rest', true, false],
        ['q', false, false],
        ['top', false, false],
      ],
    );
  });

  it('previews known values, and leaves the rest until none is missing', () => {
    const template = new UriTemplate('x:///{year}/{month}{?q,r}');
    assert.equal(template.preview({}), 'x:///{year}/{month}{?q,r}');
    assert.equal(template.preview({ year: '2026', r: '1' }), 'x:///2026/{month}?r=1');
    assert.equal(template.preview({ year: '2026', month: '1' }), 'x:///2026/1');
  });

  it('accepts names outside the RFC that servers use', () => {
    for (const name of ['user-id', 'größe', 'a.b', '%20', '日本', '__proto__', 'constructor']) {
      const template = new UriTemplate(`x:{${name}}`);
      assert.deepEqual(
        template.variables.map(variable => variable.name),
        [name],
      );
      assert.equal(template.expand({ [name]: 'v' }), 'x:v');
      assert.equal(template.expand({}), 'x:');
    }
  });

  it('with an error reports what is wrong and where', () => {
    const broken: [string, RegExp][] = [
      ['x://{open', /"\{" at position 5 is not closed/],
      ['x://{a{b}}', /"\{" at position 5 is not closed/],
      ['x://a}b', /"\}" at position 6 closes nothing/],
      ['x://{}', /at position 5 names no variable/],
      ['x://{a,}', /at position 5 names no variable/],
      ['x://{a b}', /at position 5 names no variable/],
      ['x://{a:0}', /at position 5 names no variable/],
      ['x://{a:12345}', /at position 5 names no variable/],
      ['x://{a*:3}', /at position 5 names no variable/],
      ['x://{!a}', /operator "!" at position 6 is unknown/],
      ['x://{=a}', /operator "=" at position 6 is unknown/],
    ];
    for (const [template, pattern] of broken) {
      assert.throws(
        () => new UriTemplate(template),
        error => error instanceof TemplateError && pattern.test(error.message),
        template,
      );
    }
  });

  it('without variables is itself, and may have 10,000', () => {
    assert.equal(new UriTemplate('x://plain').expand({}), 'x://plain');
    assert.equal(new UriTemplate('').expand({}), '');
    const many = Array.from({ length: 10_000 }, (_, index) => `{v${index}}`).join('/');
    // What went through it again for each brace would take hours.
    assert.equal(new UriTemplate(many).variables.length, 10_000);
    assert.throws(() => new UriTemplate('{a}'.repeat(100_000) + '{'.repeat(1_000_000)));
  });
});

describe('a typed template value', () => {
  const one = { name: 'a', required: true, several: false };
  const several = { ...one, several: true };

  it('is one text, a list, or pairs', () => {
    assert.equal(templateValue(one, 'a,b/c'), 'a,b/c');
    assert.deepEqual(templateValue(several, 'a, b/c ,'), ['a', 'b/c']);
    assert.deepEqual(templateValue(several, '/src/editor/'), ['src', 'editor']);
    assert.deepEqual(templateValue(several, 'sort=name, q=a=b'), { sort: 'name', q: 'a=b' });
    assert.deepEqual(templateValue(several, 'sort=name, plain'), ['sort=name', 'plain']);
    assert.deepEqual(templateValue(several, ' , '), []);
  });

  it('left empty is undefined', () => {
    assert.deepEqual(templateValues([one, { ...several, name: 'b' }], { a: '', b: 'x' }), { b: ['x'] });
  });
});
