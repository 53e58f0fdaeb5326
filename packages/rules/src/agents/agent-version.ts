const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([\dA-Za-z.-]{1,30}))?$/

/** Whether this is a version of the agent: `1.4.0` or `1.5.0-rc.1`. It is also the name of a folder. */
export function isAgentVersion(text: string): boolean {
  return VERSION.test(text)
}

/** Negative if `a` is older than `b`. A pre-release is older than its release. Unreadable versions are the oldest. */
export function compareAgentVersions(a: string, b: string): number {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)]
  if (left === null || right === null) return Number(left !== null) - Number(right !== null)
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part])
    if (difference !== 0) return difference
  }
  const [before, after] = [left[4], right[4]]
  if (before === after) return 0
  if (before === undefined || after === undefined) return before === undefined ? 1 : -1
  return before < after ? -1 : 1
}
