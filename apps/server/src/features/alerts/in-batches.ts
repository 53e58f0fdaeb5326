/** Few alerts per transaction, because SQLite is synchronous and blocks the process. */
const SLICE = 100

/** Splits a list into parts, and yields to the event loop before each: `for await (const ids of inBatches(all))`. */
export async function* inBatches<Item>(items: readonly Item[]): AsyncGenerator<Item[]> {
  for (let start = 0; start < items.length; start += SLICE) {
    await new Promise(setImmediate)
    yield items.slice(start, start + SLICE)
  }
}
