/** Who writes to an upload now: at most one, as its size says where the next one goes on. */
const writers = new Map<string, () => Promise<void>>()

/** From now on `stop` ends it; the answer forgets it. */
export function beginWriting(upload: string, stop: () => Promise<void>): Disposable {
  writers.set(upload, stop)
  return {
    [Symbol.dispose]() {
      if (writers.get(upload) === stop) writers.delete(upload)
    },
  }
}

/** What is under way to the disk gets there, and nothing after it: a lost line may still be delivering. */
export async function stopWriting(upload: string): Promise<void> {
  await writers.get(upload)?.()
}
