import type { Resource } from '@modelcontextprotocol/server';

/** From January 2024 to January 2026, so that the last year shows that a month depends on its year. */
const FIRST_YEAR = 2024;
const MONTHS = 25;
const ENTRIES_A_MONTH = 40;
const TOPICS = [
  [
    'a sketch of the parser',
    'It reads a recipe line by line: amount, unit, leaf. Two spoons of anything are still one line too many.',
  ],
  [
    'what the tests told us',
    'Nineteen of twenty pots poured without a drop. The twentieth had its spout on the inside.',
  ],
  [
    'a letter from a user',
    'She makes tea for forty guests and asks for a pot that says when it is empty, before they do.',
  ],
  [
    'the week in numbers',
    'Four bugs closed, two opened, 118 refills counted, one kettle lost to an experiment with soda.',
  ],
] as const;

const twoDigits = (n: number) => String(n).padStart(2, '0');

const monthsOfArchive = Array.from({ length: MONTHS }, (_, i) => ({
  year: String(FIRST_YEAR + Math.floor(i / 12)),
  month: twoDigits((i % 12) + 1),
}));

/** One page of the archive: invented, but always the same. */
interface ArchiveEntry {
  uri: string;
  /** The last part of the URI. */
  name: string;
  title: string;
  /** `YYYY-MM-DD`. */
  date: string;
  text: string;
}

/** The years there are. */
export const years = (): string[] => [...new Set(monthsOfArchive.map(({ year }) => year))];

/** The months there are in `year`, or in any year where none is given. */
export const months = (year?: string): string[] => [
  ...new Set(monthsOfArchive.filter(at => year === undefined || at.year === year).map(({ month }) => month)),
];

/** The entries of one month; none where the archive has no such month. */
export function entries(year: string, month: string): ArchiveEntry[] {
  if (!monthsOfArchive.some(at => at.year === year && at.month === month)) return [];
  return Array.from({ length: ENTRIES_A_MONTH }, (_, i) => {
    const date = `${year}-${month}-${twoDigits(1 + Math.floor((i * 28) / ENTRIES_A_MONTH))}`;
    const [topic, story] = TOPICS[i % TOPICS.length]!;
    const title = `${date}: ${topic}`;
    const name = `entry-${String(i + 1).padStart(4, '0')}.md`;
    const uri = `notebook:///archive/${year}/${month}/${name}`;
    return {
      uri,
      name,
      title,
      date,
      text: `# ${title}\n\n${story}\n\nEntry ${i + 1} of ${ENTRIES_A_MONTH} of ${year}-${month}.\n`,
    };
  });
}

/** All 1,000 entries as resources, newest month first. */
export function archiveResources(): Resource[] {
  return monthsOfArchive.toReversed().flatMap(({ year, month }) =>
    entries(year, month).map(({ uri, name, title, date, text }) => ({
      uri,
      name,
      title,
      mimeType: 'text/markdown',
      size: Buffer.byteLength(text),
      annotations: { audience: ['user'], priority: 0.1, lastModified: `${date}T12:00:00Z` },
    })),
  );
}
