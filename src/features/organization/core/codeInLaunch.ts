import { mapTexts, parsedJson } from '../../../base/json';
import { knownProgram, programName, programsOf, type RunChain, type RunProgram, scriptAt } from '../../../host/launch';
import { packagesOf } from '../../supply/core';

type Command = readonly string[];

/** Code among the arguments of a command line, which may put any name together. @param chain its programs */
export const codeIn = ({ programs }: RunChain, command: string, args: Command): string | undefined =>
  programs.flatMap(codeOf)[0] ?? codeWithin(command, args);

export function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  mapTexts(value, text => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Modules that take code as an argument. */
const MODULE_OF_CODE = /^(-\w*m)?(timeit|pdb|code|i?python|(pt|pti|b)python)$/i;

/** Programs whose first argument is code that may start others. */
const TAKES_CODE = /^(?:[\w-]*awk|g?sed)$/;

/** The code that a program gets as an argument, as far as it is not known to run a file or a module. */
function codeOf({
  name,
  known,
  words: [first, ...rest],
}: Pick<RunProgram, 'name' | 'known'> & { readonly words: readonly { readonly text: string }[] }): string[] {
  const texts = rest.map(({ text }) => text);
  if (TAKES_CODE.test(name)) return texts.filter(hasSigns);
  const encoded =
    known?.kind === 'shell'
      ? texts.filter(text => /^(\/|[-\u2013-\u2015]{1,2})e(n?c?|nc\w*)$/i.test(text) && /^p(ower)?w?sh/.test(name))
      : [];
  if (encoded.length > 0) return encoded;
  if (known?.kind === 'manager' && (known.family === 'deno' || known.family === 'bun'))
    return (
      texts
        // Options that take a value may stand before it.
        .filter(text => /^(eval|-[ep]|--(eval|print))(=|$)/.test(text))
        .slice(0, 1)
    );
  if (!known)
    return [...texts.filter(text => /^--(eval|exec|execute)=/.test(text) && hasSigns(text)), ...codeAfterOption(texts)];
  if (known.kind !== 'interpreter' || !first || texts.length === 0) return [];
  const ofModule = codeOfModule(known.family, texts);
  if (ofModule) return ofModule;
  const isTold =
    scriptAt(first.text, texts) !== undefined || knownProgram(programName(texts[0]!)) || /^[a-z]/i.test(texts[0]!);
  return isTold ? [] : [texts.find(text => !text.startsWith('-')) ?? texts[0]!];
}

/** The code for a module of Python. Undefined: none is run. */
function codeOfModule(family: string, texts: Command): string[] | undefined {
  if (family !== 'python' || !/^-[bBdEiIOPqsSuvx]*m/.test(texts[0] ?? '')) return undefined;
  return texts.some(text => MODULE_OF_CODE.test(text)) ? texts.slice(-1) : [];
}

const SIGNS = /[()[\]{};"'!]/;
const hasSigns = (text: string) => SIGNS.test(text) && typeof parsedJson(text) !== 'object';

/** What stands behind an option for code in the arguments of a program that is not known, and is no plain value. */
function codeAfterOption(texts: Command, option = /^(-[ceE]|-{1,2}(e|ex|eval|exec|execute))$/): string[] {
  const at = texts.findIndex((text, index) => option.test(text) && hasSigns(texts[index + 1] ?? ''));
  return at < 0 ? [] : [texts[at + 1]!];
}

/** Options for code of programs that run some, also with the code in the same word. */
const ANY_OPTION = /^(eval|-[a-z]{0,4}[cepr]|--?(e|ex|eval|exec|execute|print|command))$/i;
const GLUED_OPTION = /^(-[a-z]{0,4}[cepr][^-\w]|-[cer]\w*[(]|--(eval|print|exec|command)=)/;
function runsCode(word: string): boolean {
  const name = programName(word);
  const known = knownProgram(name);
  const isManager = known?.kind === 'manager' && ['deno', 'bun'].includes(known.family);
  return TAKES_CODE.test(name) || known?.kind === 'interpreter' || known?.kind === 'shell' || isManager;
}

const codeOfInterpreter = (texts: Command): string[] => [
  ...texts.filter(text => GLUED_OPTION.test(text) && hasSigns(text)),
  ...codeAfterOption(texts, ANY_OPTION),
];

/**
 * The code that is meant for a program further within: in a package or an image, on another machine, in a line or JSON in an argument.
 * What is only text may read like a command: so just what is written behind an option for code counts.
 */
function codeWithin(command: string, args: Command): string | undefined {
  const packages = packagesOf(command, args);
  // What starts there may be an interpreter, whatever it is called.
  const direct = packages.flatMap(({ place: { argument } }) => codeOfInterpreter(args.slice(argument + 1)))[0];
  if (direct !== undefined) return direct;
  const inner = packages.flatMap(({ ecosystem, name, place: { argument } }) => {
    const own = args.slice(argument + 1);
    return ecosystem === 'image'
      ? entriesOf(args.slice(0, argument)).map(entry => [...entry, ...own])
      : [[name, ...own]];
  });
  const lists = [
    args,
    ...args
      .map(parsedJson)
      .filter(value => typeof value === 'object')
      .map(textsIn),
  ];
  const lines = lists.flat().flatMap(text => (/\s/.test(text) ? [text, text.replace(/^[\w.-]+=/, '')] : []));
  const commands = [...inner, ...lines.map(line => ['sh', '-c', line])];
  for (const [program = '', ...words] of commands) {
    const chain = programsOf(program, words);
    if (!('programs' in chain)) return chain.cannotBeTold;
    const code = chain.programs.flatMap(one => {
      if (one.known?.kind !== 'interpreter') return codeOf(one);
      const texts = one.words.slice(1).map(({ text }) => text);
      return [...codeOfInterpreter(texts), ...(codeOfModule(one.known.family, texts) ?? [])];
    })[0];
    if (code !== undefined) return code;
  }
  return lists.flatMap(list => {
    const at = list.findIndex(runsCode);
    if (at < 0) return [];
    const rest = list.slice(at + 1);
    return TAKES_CODE.test(programName(list[at]!)) ? rest.filter(hasSigns) : codeAfterOption(rest, ANY_OPTION);
  })[0];
}

/** What an image may start with: its own program, or the one that an option names. */
function entriesOf(options: Command): Command[] {
  const named = options.flatMap((option, index) => {
    if (option === '--entrypoint') return [[options[index + 1] ?? '']];
    return option.startsWith('--entrypoint=') ? [[option.slice('--entrypoint='.length)]] : [];
  });
  return [[], ...named];
}
