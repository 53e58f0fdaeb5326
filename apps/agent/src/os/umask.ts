const PRIVATE_UMASK = 0o077

let startUmask: number | undefined

/** From now on only the user of this process may read the files that it creates. Call it first thing. */
export function keepFilesPrivate(): void {
  startUmask ??= process.umask(PRIVATE_UMASK)
}

/** Starts a child, or creates what belongs to people, with the umask of the agent's start. `start` must be synchronous. */
export function withStartUmask<Result>(start: () => Result): Result {
  if (startUmask === undefined) return start()
  const own = process.umask(startUmask)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}
