import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { MachineRefused } from '../../os/machine-refused.ts'
import { joinPath, readPath } from './paths.ts'
import { refusePrivate } from './private-folder.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
const SLASH = Buffer.from('/')

/**
 * A name in a folder that is held open: what happens to it happens in that very folder, also when somebody puts a link
 * in the folder's place meanwhile. Linux reaches it by the number of the open folder; elsewhere the path is looked at
 * once more before it is used.
 */
export class Place implements AsyncDisposable {
  readonly name: Buffer
  /** The whole path, without links. */
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

  /** An address for the system of a name in the folder. */
  at(name: Buffer = this.name): Buffer {
    return Buffer.concat([this.#base, SLASH, name])
  }

  /** Opens a folder that is in it; it must not be a link. */
  async enter(name: Buffer): Promise<Place> {
    const handle = await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    return new Place(handle, { names: [...this.#names, name], name })
  }

  /** What was written there is on disk, with its name. */
  async sync(): Promise<void> {
    await this.#folder.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder.close()
  }
}

const isLinux = process.platform === 'linux'

/** Opens the folder of a path step by step. A link on the way is refused: who wants to go there opens that folder. */
export async function openPlace(rawPath: string, dataFolder: string): Promise<Place> {
  const names = readPath(rawPath)
  const name = names.pop()
  if (name === undefined) throw new MachineRefused('This cannot be done to all of the machine.')
  await refusePrivate(joinPath([...names, name]), dataFolder)
  return new Place(await openFolder(names), { names, name })
}

async function openFolder(names: readonly Buffer[]): Promise<FileHandle> {
  if (!isLinux) {
    const path = joinPath(names)
    if (!path.equals(await realpath(path, { encoding: 'buffer' })))
      throw new MachineRefused('There is a link on the way. Open the folder anew.')
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
