/** What may depend on what. */

/**
 * Whether `id` would in the end depend on itself if it depended on `on`. `parents`: what each depends on now, as far as
 * it is asked for on the way up from `on`.
 */
export function closesCircle(
  id: number,
  on: number,
  parents: ReadonlyMap<number, number | null | undefined>,
): boolean {
  const seen = new Set<number>()
  for (let next: number | null | undefined = on; next != null && !seen.has(next); next = parents.get(next)) {
    if (next === id) return true
    seen.add(next)
  }
  return false
}
