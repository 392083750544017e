/**
 * SVG that is more than a drawing: scripts, event handlers, pages, external content, entities, films. The editor draws icons as
 * images, where few of these work; an icon with any of them is not trusted.
 */
const ACTS =
  /<\s*(?:script|foreignobject|iframe|object|embed|handler|animate\w*|set)\b|\bon\w+\s*=|<!entity|(?:href|src)\s*=\s*(?:["']\s*)?(?!#|data:image\/(?:png|jpeg|webp)[;,])[^\s"'#]|javascript:|@import|@keyframes|url\(\s*["']?\s*(?!#|["'])/i;
/** What hides a reference, or has one apply to more than the element that has it. */
const HIDES = /&#|\\|<\s*marker\b|\bmarker(?:-\w+)?\s*[=:]|\bvar\(/i;
/** Of filters, those whose work does not grow with a number in them. */
const FILTER =
  /<\s*fe(?!(?:Blend|ColorMatrix|Composite|Drop[sS]hadow|Flood|FuncA|FuncB|FuncG|FuncR|ComponentTransfer|GaussianBlur|Merge|MergeNode|Offset)\b)/;
const FILTER_STEP = /<\s*fe[A-Z](?!uncs?[ABGR]|ergeNode)/g;
/** Steps of filters may each use the one before twice, and what is referred to may refer to more: both multiply. */
const MAX_STEPS = 10;
const MAX_REFERENCES = 8;

const REFERENCE = /(?:href\s*=|url\()[\s"']*#([^"')\s>]+)/gi;
const GRADIENT = /<(?:linear|radial)Gradient\b[^<>]*?\bid\s*=\s*["']([^"'<>]+)["']/g;
const ID = /\bid\s*=\s*["']([^"'<>]+)["']/g;
const STYLE = /<\s*style\b[^>]*>([\s\S]*?)<\s*\/\s*style/gi;
const IMAGE = /data:image\/[^"'\s)]*/gi;

/**
 * Whether an SVG is a drawing that is drawn at once: rows of the workbench draw it in the page of the whole window, and what is
 * referred to again and again, within itself, stands for any number of shapes.
 * @param isImage whether bytes are an image of a size that is drawn at once.
 */
export function isPlainDrawing(svg: string, isImage: (bytes: Buffer) => boolean): boolean {
  if (ACTS.test(svg) || HIDES.test(svg) || FILTER.test(svg)) return false;
  if ((svg.match(FILTER_STEP) ?? []).length > MAX_STEPS) return false;
  const ids = new Map<string, number>();
  for (const [, id = ''] of svg.matchAll(ID)) ids.set(id, (ids.get(id) ?? 0) + 1);
  const gradients = new Set([...svg.matchAll(GRADIENT)].map(([, id]) => id));
  // Gradients have no shapes in them. An id that stands twice may be that of another element.
  const drawn = (text: string) =>
    [...text.matchAll(REFERENCE)].filter(([, id = '']) => ids.has(id) && !(gradients.has(id) && ids.get(id) === 1));
  const images = svg.match(IMAGE) ?? [];
  if (drawn(svg).length + images.length > MAX_REFERENCES) return false;
  // A rule of a style sheet applies to any number of elements.
  if ([...svg.matchAll(STYLE)].some(([, css = '']) => drawn(css).length > 0)) return false;
  return images.every(image => {
    const [, base64] = /^data:image\/(?:png|jpeg|webp);base64,([\w+/=]+)$/i.exec(image) ?? [];
    return base64 !== undefined && isImage(Buffer.from(base64, 'base64'));
  });
}
