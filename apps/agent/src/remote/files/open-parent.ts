import { randomUUID } from 'node:crypto'
import { constants, mkdirSync, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, realpath, rename, rmdir, unlink } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { withStartUmask } from '../../os/umask.ts'
import { copyAttributes } from './copy-attributes.ts'
import { explainRefusal } from './explain-refusal.ts'
import { errorCode, passOver } from './file-errors.ts'
import { isWindows, joinPath, readPath, refusePrivate, showPath } from './paths.ts'
import { overwriteFile } from './overwrite-file.ts'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants

/** A complete file that gets its name at once. */
export interface Draft {
  name: Buffer
  handle: FileHandle
}

/**
 * A name in an open folder. Operations affect that very folder, even if it is replaced by a link meanwhile. Names
 * default to this one.
 */
export interface ParentFolder extends AsyncDisposable {
  readonly name: Buffer
  /** The full path with links resolved: the names of the folder, and this one. */
  readonly names: readonly Buffer[]
  /** A path that the system can use for the folder itself. */
  readonly folder: Buffer
  /** A path that the system can use for a name in the folder. */
  at(name?: Buffer): Buffer
  /** Opens a subfolder, which must not be a link. */
  enter(name: Buffer): Promise<ParentFolder>
  /** Call before creating names: throws if others could not use them, and makes sure that the folder stays a folder. */
  prepareNew(): Promise<void>
  /** Opens a file, which must not be a link. */
  open(flags: number, name?: Buffer): Promise<FileHandle>
  /** Creates a file that only its owner can read, and opens it for writing. */
  create(name: Buffer): Promise<FileHandle>
  makeFolder(): Promise<void>
  /** Moves it to the name of `to`. Never overwrites. */
  move(to: ParentFolder): Promise<void>
  /**
   * Gives the draft this name. It replaces the file that `found` describes, whose access list and extended attributes
   * are kept; without one, it never overwrites.
   */
  take(draft: Draft, found: Stats | undefined): Promise<void>
  /**
   * Gives the draft the owner and the permissions of this name's file, which `found` describes. Set-user-id,
   * set-group-id and the sticky bit belong to the former content, and are left out.
   */
  copyRights(draft: Draft, found: Stats): Promise<void>
  removeFile(name?: Buffer): Promise<void>
  /** The folder must be empty. */
  removeFolder(name?: Buffer): Promise<void>
  /** Runs work on a name; errors say so if an attribute of the file or folder forbids it. */
  attempt<T>(work: () => Promise<T>, name?: Buffer): Promise<T>
  /** Syncs the folder, so that new names are on disk. */
  sync(): Promise<void>
}

/** Opens the folder of a path step by step. Links on the way are refused: the path must be the resolved one. */
export async function openParent(rawPath: string, dataFolder: string): Promise<ParentFolder> {
  const names = readPath(rawPath)
  const name = names.at(-1)
  if (name === undefined || (isWindows && names.length === 1))
    throw new AgentError(`This is not possible for ${isWindows ? 'a drive' : 'the root folder'}.`)
  await refusePrivate(names, dataFolder)
  if (!isWindows) return new PosixParent(await openFolder(names.slice(0, -1)), names, name)
  const { openWindowsParent } = await import('./windows-parent.ts')
  return openWindowsParent(names, name)
}

/** Linux addresses the folder by its descriptor; other systems check the path again before use. */
class PosixParent implements ParentFolder {
  readonly name: Buffer
  readonly names: readonly Buffer[]
  #folder: FileHandle
  #base: Buffer

  constructor(folder: FileHandle, names: readonly Buffer[], name: Buffer) {
    this.#folder = folder
    this.names = names
    this.name = name
    this.#base = isLinux ? Buffer.from(`/proc/self/fd/${folder.fd}`) : joinPath(names.slice(0, -1))
  }

  get folder(): Buffer {
    return this.at(Buffer.from('.'))
  }

  at(name: Buffer = this.name): Buffer {
    return Buffer.concat([this.#base, Buffer.from('/'), name])
  }

  async enter(name: Buffer): Promise<ParentFolder> {
    const handle = await open(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    return new PosixParent(handle, [...this.names.slice(0, -1), name, name], name)
  }

  async prepareNew(): Promise<void> {
    // Every name can be used, and the folder is held by its descriptor.
  }

  open(flags: number, name = this.name): Promise<FileHandle> {
    return open(this.at(name), flags | O_NOFOLLOW | O_NONBLOCK)
  }

  create(name: Buffer): Promise<FileHandle> {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW
    return this.attempt(() => open(this.at(name), flags, 0o600), name)
  }

  makeFolder(): Promise<void> {
    return this.attempt(async () => withStartUmask(() => mkdirSync(this.at(), { mode: 0o755 })))
  }

  move(to: ParentFolder): Promise<void> {
    return to.attempt(() =>
      this.attempt(async () => {
        const found = await lstat(this.at())
        if (!found.isDirectory()) return this.#moveFile(this.at(), to.at())
        await refuseExisting(to.at())
        await rename(this.at(), to.at())
      }),
    )
  }

  take(draft: Draft, found: Stats | undefined): Promise<void> {
    return this.attempt(async () => {
      if (found === undefined) await this.#moveFile(this.at(draft.name), this.at())
      else if (!(await this.#replace(draft, found))) return
      // The owner of the folder can put another file in the place of the draft at any time.
      if (!isSame(await lstat(this.at()), await draft.handle.stat()))
        throw new AgentError(
          'Another program replaced the file while it was written. Check it and try again.',
        )
    })
  }

  /** Returns false if the draft did not get the name, because the file was written in place. */
  async #replace({ name, handle }: Draft, found: Stats): Promise<boolean> {
    await using former = await this.#openReplaced(O_RDONLY, found)
    const isLikeFormer = await copyAttributes(former, handle)
    // A program may be running, and is never written to.
    if (isLikeFormer || (found.mode & 0o111) !== 0) {
      await handle.sync()
      try {
        await rename(this.at(name), this.at())
        return true
      } catch (cause) {
        // A file that is mounted, such as /etc/hosts of a container.
        if (errorCode(cause) !== 'EBUSY') throw cause
      }
    }
    await using target = await this.#openReplaced(constants.O_RDWR, found)
    const formerName = Buffer.from(`.muster-${randomUUID()}.old`)
    await using copy = await this.create(formerName)
    const shown = showPath([...this.names.slice(0, -1), formerName])
    await overwriteFile({ target, draft: handle, former: { handle: copy, path: this.at(formerName), shown } })
    await unlink(this.at(name)).catch(passOver('ENOENT'))
    return false
  }

  async #openReplaced(flags: number, found: Stats): Promise<FileHandle> {
    const handle = await this.open(flags)
    if (isSame(await handle.stat(), found)) return handle
    await handle.close()
    throw new AgentError('The file was replaced meanwhile. Try again.')
  }

  /** A hard link and then an unlink: unlike a rename, this never overwrites. */
  async #moveFile(source: Buffer, target: Buffer): Promise<void> {
    try {
      await link(source, target)
    } catch (cause) {
      // Not all file systems support hard links.
      if (!['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'EMLINK'].includes(errorCode(cause) ?? '')) throw cause
      await refuseExisting(target, cause)
      return rename(source, target)
    }
    await unlink(source)
  }

  async copyRights({ handle }: Draft, { uid, gid, mode }: Stats): Promise<void> {
    await handle.chown(uid, gid)
    await handle.chmod(mode & 0o777)
  }

  removeFile(name?: Buffer): Promise<void> {
    return this.attempt(() => unlink(this.at(name)), name)
  }

  removeFolder(name?: Buffer): Promise<void> {
    return this.attempt(() => rmdir(this.at(name)), name)
  }

  async attempt<T>(work: () => Promise<T>, name?: Buffer): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      throw await explainRefusal(cause, [this.at(name), this.folder])
    }
  }

  async sync(): Promise<void> {
    await this.#folder.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder.close()
  }
}

function isSame(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev
}

async function refuseExisting(path: Buffer, cause?: unknown): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) !== undefined)
    throw new AgentError('A file or folder with this name already exists.', { cause })
}

const isLinux = process.platform === 'linux'

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
