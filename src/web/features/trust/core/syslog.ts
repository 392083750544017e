/** A browser has no log of a system, and reads no managed file that names it. */
export class Syslog {
  write(): Promise<never> {
    return Promise.reject(Object.assign(new Error('There is no system log here.'), { code: 'ENOENT' }));
  }

  dispose(): void {}
}
