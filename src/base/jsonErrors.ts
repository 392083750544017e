import { type Phrase, phrase } from './phrase';

const missing = (what: string) => phrase('{0} is missing', what);
const ESCAPE = phrase('what follows "\\" is no escape of JSON');
const NUMBER = phrase('a number is incomplete');

const ERRORS: Readonly<Record<string, Phrase>> = {
  InvalidSymbol: phrase('this must be in double quotes, or a number, true, false or null'),
  InvalidNumberFormat: NUMBER,
  PropertyNameExpected: phrase('a name in double quotes is missing'),
  ValueExpected: phrase('a value is missing'),
  ColonExpected: missing('":"'),
  CommaExpected: missing('","'),
  CloseBraceExpected: missing('"}"'),
  CloseBracketExpected: missing('"]"'),
  EndOfFileExpected: phrase('the file should end before this'),
  UnexpectedEndOfComment: phrase('a comment has no end'),
  UnexpectedEndOfString: phrase('a text has no closing quote'),
  UnexpectedEndOfNumber: NUMBER,
  InvalidUnicode: ESCAPE,
  InvalidEscapeCharacter: ESCAPE,
};

/** What is wrong at a place where JSON cannot be read. @param name of the error in `jsonc-parser`. */
export const jsonError = (name: string): Phrase => ERRORS[name] ?? phrase('this is not JSON');
