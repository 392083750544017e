const MB = 1024 * 1024;

export interface BundleLimits {
  /** Of the file itself. */
  readonly bytes: number;
  /** Of all files in it together, unpacked. */
  readonly unpackedBytes: number;
  readonly entries: number;
  readonly manifestBytes: number;
}

/** The largest bundles have their own Python or a few thousand packages of npm. */
export const LIMITS: BundleLimits = {
  bytes: 512 * MB,
  unpackedBytes: 2048 * MB,
  entries: 50_000,
  manifestBytes: MB,
};
