const PRIVATE_UMASK = 0o077

let startUmask: number | undefined

/** Makes all files that this process creates private to its user. Call it first. */
export function keepFilesPrivate(): void {
  startUmask ??= process.umask(PRIVATE_UMASK)
}

/**
 * Starts a child process, or creates files for users, with the umask at the agent's start. `start` must be
 * synchronous.
 */
export function withStartUmask<Result>(start: () => Result): Result {
  if (startUmask === undefined) return start()
  const own = process.umask(startUmask)
  try {
    return start()
  } finally {
    process.umask(own)
  }
}
