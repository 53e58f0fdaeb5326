/** Returns a new `modified`: two saves within one millisecond are still two versions. */
export function laterThan(modified: string, at: Date): string {
  return new Date(Math.max(at.getTime(), Date.parse(modified) + 1)).toISOString()
}
