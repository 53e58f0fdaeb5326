/**
 * Whether a dependency of `id` on `on` would create a cycle. `parents`: the current dependencies, at least those
 * upwards from `on`.
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
