/** So many values a statement: SQLite takes 32,766, and equal statements are prepared once. */
const SLICE = 250

/** A list in parts that one statement takes: `for (const ids of slicesOf(all))`. */
export function slicesOf<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / SLICE)
  return Array.from({ length: count }, (_, index) => items.slice(index * SLICE, (index + 1) * SLICE))
}
