import { MachineRefused } from '../../os/machine-refused.ts'

const SENTENCES: Record<string, string> = {
  ENOENT: 'There is nothing of that name any more.',
  ENOTDIR: 'This is a link or no folder. Open the folder anew.',
  ELOOP: 'This is a link. Open what it leads to.',
  EISDIR: 'This is a folder.',
  EACCES: 'The agent may not do this here.',
  EPERM: 'The system does not allow this.',
  EROFS: 'The disk can only be read.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The quota of disk space is used up.',
  EFBIG: 'The file is larger than this disk can hold.',
  EEXIST: 'Something of that name is there already.',
  ENOTEMPTY: 'The folder is not empty.',
  ENAMETOOLONG: 'The name is too long.',
  EXDEV: 'This is another disk. Copy it there and delete it here.',
  EBUSY: 'The system is using it.',
  ETXTBSY: 'It is a program that is running.',
  EINVAL: 'This is not possible here.',
  EIO: 'The disk does not answer.',
  ESTALE: 'The network drive does not answer.',
  ENXIO: 'This is no file with content.',
  EMFILE: 'Too many files are open on this machine.',
  ENFILE: 'Too many files are open on this machine.',
}

/** What the system says of a file, as a sentence; what else is wrong is thrown as it is. */
export function tellFileError(cause: unknown): Error {
  if (cause instanceof MachineRefused) return cause
  const code = errorCode(cause)
  const sentence = code === undefined ? undefined : SENTENCES[code]
  if (sentence !== undefined) return new MachineRefused(sentence, { cause })
  return cause instanceof Error ? cause : new Error(String(cause))
}

export function errorCode(cause: unknown): string | undefined {
  // The type of what is thrown is never known; errors of the system have a text here.
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Does work with files; what the system refuses becomes a sentence. */
export async function withSentences<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw tellFileError(cause)
  }
}
