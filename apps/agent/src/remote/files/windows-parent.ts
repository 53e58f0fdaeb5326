import { randomUUID } from 'node:crypto'
import { constants, mkdirSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, rename } from 'node:fs/promises'
import { AgentError } from '../../errors.ts'
import { type FileCalls, loadFileCalls } from '../../os/windows/file-calls.ts'
import { loadFileSecurity } from '../../os/windows/file-security.ts'
import { describeFileError, errorCode } from './file-errors.ts'
import type { Draft, ParentFolder } from './open-parent.ts'
import { refuseUnusableName, systemWindowsPath } from './windows-paths.ts'

/** FILE_ATTRIBUTE_READONLY */
const READ_ONLY = 1

/** Opens the folder of a path. Links on the way are refused before anything is opened through them. */
export async function openWindowsParent(names: readonly Buffer[], name: Buffer): Promise<ParentFolder> {
  const calls = await loadFileCalls()
  const folder = names.slice(0, -1)
  for (let end = 2; end <= folder.length; end += 1) await refuseLink(systemWindowsPath(folder.slice(0, end)))
  const parent = new WindowsParent(calls, names, name)
  try {
    // A short name (`PROGRA~1`) would hide which file it is.
    if (await parent.has(name)) parent.requireOwnName()
    return parent
  } catch (cause) {
    await parent[Symbol.asyncDispose]()
    throw cause
  }
}

/**
 * Windows has no paths relative to an open folder in Node. Instead the folder is held: it can be neither moved nor
 * deleted, and neither can those above it. Only an empty folder can become a junction meanwhile, so files are created
 * beside a temporary one, and deleted only if the system confirms their path.
 */
class WindowsParent implements ParentFolder {
  readonly name: Buffer
  readonly names: readonly Buffer[]
  #calls: FileCalls
  #held = new DisposableStack()

  constructor(calls: FileCalls, names: readonly Buffer[], name: Buffer) {
    this.#calls = calls
    this.names = names
    this.name = name
    this.#held.use(calls.hold(this.folder.toString()))
  }

  get folder(): Buffer {
    return systemWindowsPath(this.names.slice(0, -1))
  }

  at(name = this.name): Buffer {
    return systemWindowsPath([...this.names.slice(0, -1), name])
  }

  async has(name: Buffer): Promise<boolean> {
    return (await lstat(this.at(name)).catch(() => undefined)) !== undefined
  }

  requireOwnName(): void {
    if (this.#calls.finalPath(this.#path()).toLowerCase() !== this.#path().slice(4).toLowerCase())
      throw new AgentError('This is a short name. Reload the folder.')
  }

  async enter(name: Buffer): Promise<ParentFolder> {
    await refuseLink(this.at(name))
    return new WindowsParent(this.#calls, [...this.names.slice(0, -1), name, name], name)
  }

  async prepareNew(): Promise<void> {
    refuseUnusableName(this.name)
    const path = this.#path(Buffer.from(`.muster-${randomUUID()}.part`))
    this.#held.use(this.#calls.createTemporary(path))
  }

  async open(flags: number, name = this.name): Promise<FileHandle> {
    await refuseLink(this.at(name))
    const handle = await open(this.at(name), flags)
    try {
      const [opened, there] = await Promise.all([
        handle.stat({ bigint: true }),
        lstat(this.at(name), { bigint: true }),
      ])
      const isSame = opened.ino === there.ino && opened.dev === there.dev && !there.isSymbolicLink()
      if (!isSame) throw new AgentError('The file was replaced meanwhile. Reload the folder.')
      return handle
    } catch (cause) {
      await handle.close()
      throw cause
    }
  }

  create(name: Buffer): Promise<FileHandle> {
    return open(this.at(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  }

  async makeFolder(): Promise<void> {
    mkdirSync(this.at())
  }

  async move(to: ParentFolder): Promise<void> {
    this.#calls.move(this.#path(), to.at().toString())
  }

  async take({ name }: Draft, found: Stats | undefined): Promise<void> {
    if (found === undefined) return this.#calls.move(this.#path(name), this.#path())
    try {
      await rename(this.at(name), this.at())
    } catch (cause) {
      if (errorCode(cause) !== 'EPERM') throw cause
      const isReadOnly = (this.#calls.attributesOf(this.#path()) & READ_ONLY) !== 0
      const why = isReadOnly
        ? 'The file is read-only.'
        : 'The file is in use by another program, or protected.'
      throw new AgentError(why, { cause })
    }
  }

  async copyRights({ name }: Draft): Promise<void> {
    const { copy } = await loadFileSecurity()
    if (!copy(this.#path(), this.#path(name)))
      throw new AgentError('The permissions of the file cannot be kept, so it was not replaced.')
    this.#calls.copyAttributes(this.#path(), this.#path(name))
  }

  async removeFile(name = this.name): Promise<void> {
    this.#calls.remove(this.#path(name))
  }

  removeFolder(name?: Buffer): Promise<void> {
    return this.removeFile(name)
  }

  attempt<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  async sync(): Promise<void> {
    // NTFS writes names to its journal itself; a folder cannot be flushed.
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#held.dispose()
  }

  #path(name?: Buffer): string {
    return this.at(name).toString()
  }
}

async function refuseLink(path: Buffer): Promise<void> {
  const found = await lstat(path)
  if (found.isSymbolicLink()) throw describeFileError(Object.assign(new Error('a link'), { code: 'ELOOP' }))
}
