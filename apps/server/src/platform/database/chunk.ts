/** Values per statement: SQLite allows 32,766, and equal statements are prepared once. */
const SLICE = 250

/** Splits a list into parts that fit one statement: `for (const ids of chunk(all))`. */
export function chunk<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / SLICE)
  return Array.from({ length: count }, (_, index) => items.slice(index * SLICE, (index + 1) * SLICE))
}
