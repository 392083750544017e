/** Lines that never say what went wrong: frames of a stack, marks under a line of code, versions, links, remarks of runtimes. */
const ASIDE = [
  /^[\s|+]*(at |File "|\.{3} \d+ |-{3,} |\d+: \S+$)/,
  /^[\s^~})\],;|+-]*$/,
  /^(Node\.js|Bun|Deno) v?\d/,
  /^(goroutine \d+ |\[signal |exit status \d|created by |note: |stack backtrace:|\(Use `|Traceback )/,
  /^\(node:\d+\).*\b(Deprecation|Experimental)Warning\b/,
  /^npm (ERR!|error) (code |errno |syscall |path |A complete log|\d*\s*$)/,
  /^\W*((see|docs?|documentation|help|support|more|learn|for|read|visit|report|please (see|visit|report))\b.*)?https?:\/\/\S+$/i,
  /^\W*(see|docs?|for (more|help|further|details)|try)\b/i,
];

/** The head of a crash: an uncaught exception or a panic. */
const CRASH = [
  /^(Uncaught )?[\w$.:]*(Error|Exception|Exit|Interrupt)( \[\w+\])?(: .|$)/,
  // Node.js, Go, Rust, .NET, Java.
  /^(panic|fatal error): ./,
  /^thread '.*' (\(\d+\) )?panicked at /,
  /^(Unhandled exception[.:]|Exception in thread ")/,
];
/** Lines that only introduce other lines. */
const GROUP = /^[\w.]*ExceptionGroup: /;

/** A line at level error, as loggers and programs of a command line write it. */
const AT_LEVEL = [
  /\b(ERROR|FATAL|CRITICAL|SEVERE)\b/,
  /\blevel="?(error|fatal|panic)\b/,
  /^(\S+: )?(error|fatal|fail|crit|Error|Fatal error|fatal error)\b.*:/,
  /^npm (ERR!|error) /,
  /^\s*[×✖✗❌⛔🛑]/u,
];
const BELOW = /\b(TRACE|DEBUG|INFO|NOTICE|level="?(trace|debug|info))\b/;
const WORDS =
  /error|exception|missing|required|must |invalid|unknown|unable|unsupported|denied|refused|failed|failure|can't|cannot|could ?n[o']t|not (found|set|exist|supported|defined|installed)|no such|no module/i;

/** What has its message on the next lines. */
const GOES_ON = /([:[{(]|validation errors? for \S+|^(fail|crit): \S+\[\d+\])$/;
const MAX_MORE = 5;
/** How much of a line is looked at. */
const MAX_LENGTH = 500;

/** The line that says what went wrong. */
export interface TellingLine {
  /** Its index. */
  readonly at: number;
  /** It, with the lines that complete it; the message alone if it is JSON of a logger. */
  readonly text: string;
}

/**
 * Finds the line that says why a program ended, in what it wrote last: the head of the last crash, the first of the last lines
 * at level error, or of those that speak of an error, or else the last line that says anything. Undefined: there is none.
 */
export function tellingLine(lines: readonly string[]): TellingLine | undefined {
  // Python draws groups of exceptions with bars.
  const bare = lines.map(line => line.slice(0, MAX_LENGTH).replace(/^\s*(\| ?)+/, ''));
  const says = bare.map(line => !ASIDE.some(aside => aside.test(line)));
  const isAny = (patterns: readonly RegExp[]) => (line: string, at: number) =>
    says[at]! && patterns.some(pattern => pattern.test(line));
  const crash = bare.findLastIndex((line, at) => isAny(CRASH)(line, at) && !GROUP.test(line));
  const first = (matches: (line: string, at: number) => boolean): number => {
    let at = bare.findLastIndex(matches);
    for (let before = at - 1; before >= 0 && (!says[before] || matches(bare[before]!, before)); before--)
      if (says[before]) at = before;
    return at;
  };
  const messages = lines.map(messageAtLevel);
  const found = [
    () => crash,
    () => first((line, at) => messages[at] !== undefined || isAny(AT_LEVEL)(line, at)),
    () => first((line, at) => isAny([WORDS])(line, at) && !BELOW.test(line)),
    () => says.lastIndexOf(true),
  ];
  for (const find of found) {
    const at = find();
    if (at >= 0) return { at, text: messages[at] ?? completed(bare, says, at) };
  }
  return undefined;
}

function completed(lines: readonly string[], says: readonly boolean[], at: number): string {
  let text = lines[at]!.trim();
  const isOpen = /[[{]$/.test(text);
  for (let next = at + 1; next <= at + MAX_MORE && (isOpen || GOES_ON.test(text)) && says[next]; next++)
    text += ` ${lines[next]!.trim()}`;
  return text;
}

/** The message of a line of JSON at level error (pino counts from 10 to 60). */
function messageAtLevel(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, severity = level, lvl = severity, msg, message = msg } = JSON.parse(line) as Record<string, unknown>;
    const isError = typeof lvl === 'number' ? lvl >= 50 : /^(error|fatal|critical|panic)$/i.test(String(lvl));
    return isError && typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
