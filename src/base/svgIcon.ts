/**
 * Which SVG is drawn in rows of the workbench, which are in the page of the whole window: plain drawings, of shapes, gradients and what
 * is cut out of them. All else may act, lead elsewhere, or take any time to draw, so what passes is listed here.
 */

const SHAPES = 'path rect circle ellipse line polyline polygon';
const GRADIENTS = ['linearGradient', 'radialGradient'];
/** What cuts a part out. Such an element may have shapes in it, and none that is cut again: that would multiply. */
const CUTS = ['clipPath', 'mask'];
const ELEMENTS = new Set([...`svg g defs stop title desc style ${SHAPES}`.split(' '), ...GRADIENTS, ...CUTS]);

/** Attributes that are properties of CSS, too. */
const PROPERTIES = new Set(
  `fill fill-rule fill-opacity stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit opacity color
  stop-color stop-opacity clip-rule clip-path mask mask-type display visibility overflow shape-rendering color-interpolation
  isolation enable-background paint-order pointer-events`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `id class style href xlink:href version baseProfile viewBox width height preserveAspectRatio x y x1 y1 x2 y2 cx cy r rx ry fx fy fr d points
  pathLength transform offset gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits role focusable lang
  xmlns`.split(/\s+/),
);
const OF_CUTS = new Set(['clip-path', 'mask']);

const MAX_ELEMENTS = 2_000;
const MAX_LEVELS = 30;
const MAX_CUTS = 8;
/** All transformations of an element and of those around it together. */
const MAX_SCALE = 4;
/** Of a view box: what is smaller is drawn much larger than it says. */
const MIN_SIDE = 8;

/** A tag with its attributes, or what stands before the drawing. */
const TAG =
  /<(?:\?xml\s[^<>?]*\?>|!DOCTYPE\s[^<>[\]]*>|(\/?)([A-Za-z]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<&]*"|'[^'<&]*'))*)\s*(\/?)>)/y;
const ATTRIBUTE = /\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** Of a drawing that is so large, or so finely divided, that drawing it takes long. */
const HUGE = /(?<![\d.])\d{5}|\de\+?\d/i;
const RULE = /\s*\.[\w-]+(?:\s*,\s*\.[\w-]+)*\s*\{([^{}]*)\}\s*/y;

export function isPlainDrawing(svg: string): boolean {
  const open: OpenElement[] = [];
  let [at, elements, cuts] = [svg.startsWith('\ufeff') ? 1 : 0, 0, 0];
  while (at < svg.length) {
    if (svg[at] !== '<') {
      const end = svg.indexOf('<', at);
      const text = svg.slice(at, end < 0 ? undefined : end);
      const isText =
        text.trim() === '' || ['title', 'desc'].includes(open.at(-1)?.name ?? '') || isSheet(text, open.at(-1)?.name);
      if (!isText) return false;
      at += text.length;
      continue;
    }
    if (svg.startsWith('<!--', at)) {
      const end = svg.indexOf('-->', at + 4);
      if (end < 0) return false;
      at = end + 3;
      continue;
    }
    TAG.lastIndex = at;
    const [whole, end, name, attributes = '', isEmpty] = TAG.exec(svg) ?? [];
    if (whole === undefined) return false;
    at += whole.length;
    if (name === undefined) continue;
    if (end) {
      if (open.pop()?.name !== name || attributes !== '') return false;
      continue;
    }
    if (!ELEMENTS.has(name) || ++elements > MAX_ELEMENTS || open.length >= MAX_LEVELS) return false;
    // There is one root, and none within.
    if ((open.length === 0) !== (name === 'svg') || (name === 'svg' && elements > 1)) return false;
    const around = open.at(-1);
    const isCut = open.some(one => CUTS.includes(one.name));
    if (isCut && CUTS.includes(name)) return false;
    // Of several shapes the browser makes one, crossing by crossing.
    if (around?.name === 'clipPath' && ++around.inside > 1) return false;
    let scale = around?.scale ?? 1;
    for (const [, key = '', double, single] of attributes.matchAll(ATTRIBUTE)) {
      const value = double ?? single ?? '';
      const cut = cutsBy(name, key, value);
      if (cut === undefined) return false;
      cuts += cut;
      if (key === 'transform') scale *= scaleOf(value);
      if (key === 'viewBox' && !isUsualBox(value)) return false;
      if (scale > MAX_SCALE || cuts > MAX_CUTS || (isCut && cut > 0)) return false;
    }
    if (!isEmpty) open.push({ name, scale, inside: 0 });
  }
  return open.length === 0 && elements > 0;
}

interface OpenElement {
  readonly name: string;
  readonly scale: number;
  /** How many elements are in it so far. */
  inside: number;
}

/** How much larger a transformation makes things at most. What can't be told is too much. */
function scaleOf(transform: string): number {
  let scale = 1;
  for (const [, name, list = ''] of transform.matchAll(/\b([a-z]+)\s*\(([^()]*)\)/gi)) {
    const numbers = list
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
    const factors = name === 'scale' ? numbers : name === 'matrix' ? numbers.slice(0, 4) : [];
    if (/^skew/.test(name ?? '') || numbers.some(Number.isNaN)) return Number.POSITIVE_INFINITY;
    scale *= Math.max(1, ...factors.map(Math.abs));
  }
  return scale;
}

function isUsualBox(viewBox: string): boolean {
  const numbers = viewBox
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return numbers.length === 4 && numbers.slice(2).every(side => side >= MIN_SIDE);
}

/** How much an attribute cuts out of its element. Undefined: it does not pass. */
function cutsBy(element: string, name: string, value: string): number | undefined {
  if (/^(data|aria)-|^xml:(space|lang)$/.test(name)) return 0;
  if (/^xmlns(:|$)/.test(name))
    return name === 'xmlns' || !/w3\.org\/(2000\/svg|1999\/xhtml)/.test(value) ? 0 : undefined;
  if (/(^|:)href$/.test(name)) return GRADIENTS.includes(element) && /^#[\w-]+$/.test(value) ? 0 : undefined;
  if (name === 'style') return cutsOf(value);
  if (PROPERTIES.has(name)) return cutsOf(`${name}:${value}`);
  // Of another name space: notes of the program that drew it.
  if (name.includes(':')) return 0;
  return ATTRIBUTES.has(name) && !HUGE.test(value) ? 0 : name === 'id' || name === 'class' ? 0 : undefined;
}

/** How much declarations cut out. Undefined: they do not pass. */
function cutsOf(declarations: string): number | undefined {
  let cuts = 0;
  for (const declaration of declarations.split(';').filter(text => text.trim() !== '')) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:(.*)$/s.exec(declaration) ?? [];
    const isColor = /^[\w\s#.,%+-]*$|^\s*(?:rgba?|hsla?)\([\w\s.,%/+-]*\)\s*$/.test(value);
    const isReference = /^\s*url\(["']?#[\w-]+["']?\)[\w\s#]*$/.test(value);
    if (name.startsWith('-') || !PROPERTIES.has(name) || !(isColor || isReference) || HUGE.test(withoutColors(value)))
      return undefined;
    if (OF_CUTS.has(name) && isReference) cuts++;
  }
  return cuts;
}

const withoutColors = (value: string) => value.replace(/#[\w-]+/g, '');

/** Whether it is a style sheet whose rules are for classes, and cut nothing out: that of a class may be of any number of elements. */
function isSheet(text: string, element: string | undefined): boolean {
  if (element !== 'style') return false;
  let at = 0;
  while (at < text.length) {
    RULE.lastIndex = at;
    const [whole, declarations = ''] = RULE.exec(text) ?? [];
    if (!whole || cutsOf(declarations) !== 0) return false;
    at += whole.length;
  }
  return true;
}
