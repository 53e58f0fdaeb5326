/** So few alerts a transaction that nobody waits for long: SQLite answers without letting the process do anything else. */
const SLICE = 100

/** A list in parts, with a moment for everybody else before each: `for await (const ids of inTurns(all))`. */
export async function* inTurns<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  for (let start = 0; start < items.length; start += SLICE) {
    await new Promise(setImmediate)
    yield items.slice(start, start + SLICE)
  }
}
