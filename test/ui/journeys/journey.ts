import type { Cost, Person } from './person';
import type { places } from './places';

/** Something that a person comes for, from its beginning to its end. */
export interface Journey {
  readonly name: string;
  /** The most that it may cost. Seconds are only reported: they say more about the machine. */
  readonly budget: Cost;
  /** The window that it begins in, after the journeys before it. */
  readonly place: keyof typeof places;
  /** What is there before it begins; not counted. */
  readonly before?: (person: Person) => Promise<unknown>;
  readonly go: (person: Person) => Promise<unknown>;
  /** Why it can't be made on this machine. */
  readonly leftOut?: () => Promise<string | undefined>;
}
