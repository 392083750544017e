// Takes out of markdown what other programs would draw: code in colours, formulas, diagrams.

/** Markdown whose code has no language: clients colour it in their page, by grammars that a text can keep busy. */
export const withoutColours = (markdown: string): string =>
  markdown
    .split(/\r\n?|\n/)
    .map(withoutLanguage)
    .join('\n');

/**
 * A line that begins a block of code says the language behind its mark. In backticks it has no further ones. Before it stand marks of lists,
 * tasks and quotes: no other letter.
 */
function withoutLanguage(line: string): string {
  const [before = ''] = /^(?:\[x\]|[^\p{L}`~])*/iu.exec(line) ?? [];
  const [mark] = /^(?:```+|~~~+)/.exec(line.slice(before.length)) ?? [];
  if (mark === undefined) return line;
  const isInline = mark.startsWith('`') && line.includes('`', before.length + mark.length);
  return isInline ? line : before + mark;
}

/** Commands of formulas that draw what they are given, and no more. */
const DRAWN = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi varphi chi psi
  omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega frac sqrt sum prod int lim log ln exp sin cos tan min max cdot times div pm mp ast
  circ le leq ge geq ne neq approx equiv sim propto in notin subset subseteq cup cap setminus emptyset land lor neg forall exists infty
  partial nabla to mapsto leftarrow rightarrow Leftarrow Rightarrow Leftrightarrow iff implies langle rangle lfloor rfloor lceil rceil left
  right mid quad qquad dots ldots cdots vdots text mathrm mathbf mathbb mathcal mathit hat bar vec dot tilde overline underline`.match(
    /\w+/g,
  ),
);

/**
 * Markdown without diagrams, whether from blocks of code, `:::` blocks or elements with a class, and without any other commands in formulas, as
 * some make a short one very long. An unseen character breaks up what would begin them.
 */
export const withoutDrawings = (markdown: string): string =>
  withoutColours(markdown)
    .replace(/:(?=::)|class(?=\s*=)/gi, '$&\u2060')
    .replace(/\\([a-z]+|@)/gi, (command, name: string) => (DRAWN.has(name) ? command : `\\\u2060${name}`));
