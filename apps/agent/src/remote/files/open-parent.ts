import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { joinPath, readPath, refusePrivate } from './paths.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
const SLASH = Buffer.from('/')

/**
 * A name in an open folder. Operations affect that very folder, even if it is replaced by a link meanwhile. Linux
 * addresses it by the descriptor of the folder; other systems check the path again before use.
 */
export class ParentFolder implements AsyncDisposable {
  readonly name: Buffer
  /** The full path with links resolved. */
  readonly path: Buffer
  #folder: FileHandle
  #names: readonly Buffer[]
  #base: Buffer

  constructor(folder: FileHandle, { names, name }: { names: readonly Buffer[]; name: Buffer }) {
    this.#folder = folder
    this.#names = names
    this.name = name
    this.path = joinPath([...names, name])
    this.#base = isLinux ? Buffer.from(`/proc/self/fd/${folder.fd}`) : joinPath(names)
  }

  /** A path that the system can use for a name in the folder. */
  at(name: Buffer = this.name): Buffer {
    return Buffer.concat([this.#base, SLASH, name])
  }

  /** Opens a subfolder, which must not be a link. */
  async enter(name: Buffer): Promise<ParentFolder> {
    const handle = await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    return new ParentFolder(handle, { names: [...this.#names, name], name })
  }

  /** Syncs the folder, so that new names are on disk. */
  async sync(): Promise<void> {
    await this.#folder.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder.close()
  }
}

const isLinux = process.platform === 'linux'

/** Opens the folder of a path step by step. Links on the way are refused: the path must be the resolved one. */
export async function openParent(rawPath: string, dataFolder: string): Promise<ParentFolder> {
  const names = readPath(rawPath)
  const name = names.pop()
  if (name === undefined) throw new AgentError('This is not possible for the root folder.')
  await refusePrivate(joinPath([...names, name]), dataFolder)
  return new ParentFolder(await openFolder(names), { names, name })
}

async function openFolder(names: readonly Buffer[]): Promise<FileHandle> {
  if (!isLinux) {
    const path = joinPath(names)
    if (!path.equals(await realpath(path, { encoding: 'buffer' })))
      throw new AgentError('The path contains a link. Reload the folder.')
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }
  let folder = await open('/', O_RDONLY | O_DIRECTORY)
  for (const name of names) {
    const parent = folder
    await using _ = parent
    folder = await open(
      Buffer.concat([Buffer.from(`/proc/self/fd/${parent.fd}/`), name]),
      O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
    )
  }
  return folder
}
