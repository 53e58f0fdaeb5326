import { AgentError } from '../../errors.ts'

const SENTENCES: Record<string, string> = {
  ENOENT: 'The file or folder no longer exists.',
  ENOTDIR: 'This is a link or not a folder. Reload the folder.',
  ELOOP: 'This is a link. Open its target instead.',
  EAGAIN: 'This file is a stream of the system, which has nothing to read now.',
  EISDIR: 'This is a folder.',
  EACCES: 'The agent has no permission to do this.',
  EPERM: 'The system does not allow this.',
  EROFS: 'The disk is read-only.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The disk quota is used up.',
  EFBIG: 'The file is too large for this disk.',
  EEXIST: 'A file or folder with this name already exists.',
  ENOTEMPTY: 'The folder is not empty.',
  ENAMETOOLONG: 'The name is too long.',
  ENOTSUP: 'The system does not support this here.',
  EXDEV: 'The target is on another disk. Copy the file there and delete it here.',
  EBUSY:
    process.platform === 'win32'
      ? 'The file is in use by another program.'
      : 'The file is in use by the system.',
  ETXTBSY: 'The file is a running program.',
  EINVAL: 'This is not possible here.',
  EIO: 'The disk does not respond.',
  ENOTCONN: 'The network drive is not connected.',
  EHOSTDOWN: 'The network drive does not respond.',
  ETIMEDOUT: 'The network drive does not respond.',
  ESTALE: 'The network drive does not respond.',
  ENXIO: 'This is not a regular file.',
  EMFILE: 'Too many files are open on this machine.',
  ENFILE: 'Too many files are open on this machine.',
}

/** Converts system errors about a file to messages for users; other errors are returned unchanged. */
export function describeFileError(cause: unknown): Error {
  if (cause instanceof AgentError) return cause
  const code = errorCode(cause)
  const sentence = code === undefined ? undefined : SENTENCES[code]
  if (sentence !== undefined) return new AgentError(sentence, { cause })
  return cause instanceof Error ? cause : new Error(String(cause))
}

export function errorCode(cause: unknown): string | undefined {
  // Thrown values have no type; system errors have a message here.
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** A handler that returns undefined for errors of this code, and throws others. */
export function passOver(code: string): (cause: unknown) => undefined {
  return (cause) => {
    if (errorCode(cause) !== code) throw cause
    return undefined
  }
}

/** Runs file operations and converts system errors to messages for users. */
export async function withSentences<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw describeFileError(cause)
  }
}
