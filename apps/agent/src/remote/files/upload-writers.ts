/** Tracks the active writer of each upload: at most one, because the size of the file is the next offset. */
const writers = new Map<string, () => Promise<void>>()

/** Registers a writer that `stop` ends. Returns a function that releases it. */
export function beginWriting(upload: string, stop: () => Promise<void>): Disposable {
  writers.set(upload, stop)
  return {
    [Symbol.dispose]() {
      if (writers.get(upload) === stop) writers.delete(upload)
    },
  }
}

/** Finishes the current write and stops the writer: a lost connection may still be delivering. */
export async function stopWriting(upload: string): Promise<void> {
  await writers.get(upload)?.()
}
