import { AgentError } from '../../errors.ts'
import { bindLibrary, type Call, type Handle, loadErrors, readWide, type WindowsErrors } from './win32.ts'

interface Kernel {
  createFile: Call<
    [
      path: string,
      access: number,
      share: number,
      security: null,
      disposition: number,
      flags: number,
      template: 0,
    ],
    Handle
  >
  finalPath: Call<[file: Handle, text: Buffer, units: number, flags: 0]>
  information: Call<[file: Handle, kind: number, bytes: Buffer, size: number]>
  setInformation: Call<[file: Handle, kind: number, bytes: Buffer, size: number]>
  move: Call<[from: string, to: string, flags: number]>
  attributes: Call<[path: string]>
  setAttributes: Call<[path: string, attributes: number]>
  drives: Call<[]>
  volume: Call<
    [
      root: string,
      label: Buffer,
      units: number,
      serial: null,
      length: null,
      flags: null,
      system: null,
      systemUnits: 0,
    ]
  >
  setErrorMode: Call<[mode: number, before: null]>
  close: Call<[handle: Handle]>
}

const KERNEL = {
  createFile:
    'uintptr_t __stdcall CreateFileW(str16, uint32_t, uint32_t, void *, uint32_t, uint32_t, uintptr_t)',
  finalPath: 'uint32_t __stdcall GetFinalPathNameByHandleW(uintptr_t, uint8_t *, uint32_t, uint32_t)',
  information: 'int __stdcall GetFileInformationByHandleEx(uintptr_t, int, uint8_t *, uint32_t)',
  setInformation: 'int __stdcall SetFileInformationByHandle(uintptr_t, int, uint8_t *, uint32_t)',
  move: 'int __stdcall MoveFileExW(str16, str16, uint32_t)',
  attributes: 'uint32_t __stdcall GetFileAttributesW(str16)',
  setAttributes: 'int __stdcall SetFileAttributesW(str16, uint32_t)',
  drives: 'uint32_t __stdcall GetLogicalDrives()',
  volume:
    'int __stdcall GetVolumeInformationW(str16, uint8_t *, uint32_t, void *, void *, void *, void *, uint32_t)',
  setErrorMode: 'int __stdcall SetThreadErrorMode(uint32_t, void *)',
  close: 'int __stdcall CloseHandle(uintptr_t)',
}

const DELETE = 0x1_0000
const LIST_FOLDER = 0x1
const READ_ATTRIBUTES = 0x80
const SHARE_ALL = 7
/** Neither it nor a folder above it can be moved or deleted. */
const SHARE_NO_DELETE = 3
const OPEN_EXISTING = 3
const CREATE_NEW = 1
/** FILE_FLAG_BACKUP_SEMANTICS, which folders need, and FILE_FLAG_OPEN_REPARSE_POINT: a link itself is opened. */
const OPEN_ITSELF = 0x0220_0000
const HIDDEN = 2
const DELETE_ON_CLOSE = 0x0400_0000
const FILE_DISPOSITION = 4
/** The path below the drive. Wine knows only this one of paths with more than 260 characters, and says MORE_DATA. */
const FILE_NAME = 2
const MORE_DATA = 234
/** `\\?\C:` */
const PREFIX_UNITS = 6
const FILE_DISPOSITION_EX = 21
/** DELETE, POSIX_SEMANTICS and IGNORE_READONLY_ATTRIBUTE: the name is free at once. Since Windows 10 1809. */
const DISPOSITION_FLAGS = 0x13
const MOVE_WRITE_THROUGH = 8
const NO_ATTRIBUTES = 0xffff_ffff
const MAX_PATH_UNITS = 32_768
const LABEL_UNITS = 261
const NO_ERROR_WINDOWS = 1
/** FILE_ATTRIBUTE_NORMAL: none of the others. */
const NORMAL = 0x80

/** Kept when one file replaces another: read-only, hidden, system, archive and not indexed. */
const KEPT_ATTRIBUTES = 0x2027

/** Windows' errors as the codes that Node uses. Source: WinError.h. */
const CODES: Record<number, string> = {
  2: 'ENOENT',
  3: 'ENOENT',
  5: 'EACCES',
  17: 'EXDEV',
  19: 'EROFS',
  32: 'EBUSY',
  33: 'EBUSY',
  80: 'EEXIST',
  112: 'ENOSPC',
  123: 'EINVAL',
  145: 'ENOTEMPTY',
  183: 'EEXIST',
  206: 'ENAMETOOLONG',
  1224: 'EBUSY',
}

/** Functions of Windows for files that Node has not. Paths begin with `\\?\`. All throw an error with a `code`. */
export interface FileCalls {
  /** The path as the disk has it, with all links above it followed, without the prefix. */
  finalPath: (path: string) => string
  /** Keeps a folder where it is: nobody can move or delete it meanwhile. */
  hold: (folder: string) => Disposable
  /** Creates a hidden file that ends when it is disposed of. Throws if it is not created at this very path. */
  createTemporary: (path: string) => Disposable
  /** Never replaces anything, and never moves to another disk. */
  move: (from: string, to: string) => void
  /** Deletes a file, a link or an empty folder. Throws if it is not at this very path. */
  remove: (path: string) => void
  /** FILE_ATTRIBUTE_*; 0 if it has been removed. */
  attributesOf: (path: string) => number
  copyAttributes: (from: string, to: string) => void
  listDrives: () => { drive: string; label: string }[]
}

let loaded: Promise<FileCalls> | undefined

export async function loadFileCalls(): Promise<FileCalls> {
  return (loaded ??= bindCalls())
}

async function bindCalls(): Promise<FileCalls> {
  return makeCalls(await bindLibrary<Kernel>('kernel32.dll', KERNEL), await loadErrors())
}

function makeCalls(kernel: Kernel, errors: WindowsErrors): FileCalls {
  const failed = (error = errors.last()): Error => {
    const code = CODES[error]
    if (code === undefined) return new AgentError(errors.describe(error))
    return Object.assign(new Error(`Windows error ${error}`), { code })
  }
  const open = (
    path: string,
    { access, share = SHARE_ALL, isNew = false }: { access: number; share?: number; isNew?: boolean },
  ): Handle => {
    const [disposition, flags] = isNew
      ? [CREATE_NEW, OPEN_ITSELF | DELETE_ON_CLOSE | HIDDEN]
      : [OPEN_EXISTING, OPEN_ITSELF]
    const file = kernel.createFile(path, access, share, null, disposition, flags, 0)
    if (isInvalid(file)) throw failed()
    return file
  }
  const finalPathOf = (file: Handle, path: string): string => {
    const text = Buffer.alloc(2 * MAX_PATH_UNITS)
    const units = kernel.finalPath(file, text, MAX_PATH_UNITS, 0)
    if (units !== 0) return text.toString('utf16le', 0, 2 * units)
    const error = errors.last()
    if (error !== MORE_DATA || kernel.information(file, FILE_NAME, text, text.length) === 0)
      throw failed(error)
    return path.slice(0, PREFIX_UNITS) + text.toString('utf16le', 4, 4 + text.readUInt32LE())
  }
  const requireAt = (file: Handle, path: string): void => {
    if (finalPathOf(file, path).toLowerCase() === path.toLowerCase()) return
    throw Object.assign(new Error(`${path} leads to another place`), { code: 'ELOOP' })
  }
  /** Closes the file also if the check fails. */
  const checked = (file: Handle, path: string): Disposable => {
    const close = { [Symbol.dispose]: () => void kernel.close(file) }
    try {
      requireAt(file, path)
      return close
    } catch (cause) {
      close[Symbol.dispose]()
      throw cause
    }
  }
  const attributesOf = (path: string): number => {
    const attributes = kernel.attributes(path)
    return attributes === NO_ATTRIBUTES ? 0 : attributes
  }
  return {
    attributesOf,
    finalPath(path) {
      const file = open(path, { access: READ_ATTRIBUTES })
      try {
        return finalPathOf(file, path).replace(/^\\\\\?\\(?:UNC(?=\\)|)/, (prefix) =>
          prefix.endsWith('C') ? '\\' : '',
        )
      } finally {
        kernel.close(file)
      }
    },
    hold: (folder) => checked(open(folder, { access: LIST_FOLDER, share: SHARE_NO_DELETE }), folder),
    createTemporary: (path) => checked(open(path, { access: DELETE, isNew: true }), path),
    move(from, to) {
      if (kernel.move(from, to, MOVE_WRITE_THROUGH) === 0) throw failed()
    },
    remove(path) {
      const file = open(path, { access: DELETE | READ_ATTRIBUTES })
      using _ = checked(file, path)
      const flags = Buffer.alloc(4)
      flags.writeUInt32LE(DISPOSITION_FLAGS)
      if (kernel.setInformation(file, FILE_DISPOSITION_EX, flags, flags.length) !== 0) return
      // File systems other than NTFS, and older versions of Windows.
      if (kernel.setInformation(file, FILE_DISPOSITION, Buffer.of(1), 1) === 0) throw failed()
    },
    copyAttributes(from, to) {
      if (kernel.setAttributes(to, attributesOf(from) & KEPT_ATTRIBUTES || NORMAL) === 0) throw failed()
    },
    listDrives() {
      // A drive without a disk would ask for one in a window.
      kernel.setErrorMode(NO_ERROR_WINDOWS, null)
      const mask = kernel.drives()
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').filter((_, at) => ((mask >> at) & 1) === 1)
      return letters.map((letter) => {
        const label = Buffer.alloc(2 * LABEL_UNITS)
        kernel.volume(`${letter}:\\`, label, LABEL_UNITS, null, null, null, null, 0)
        return { drive: `${letter}:`, label: readWide(label) }
      })
    },
  }
}

/** INVALID_HANDLE_VALUE is -1, as an unsigned number of 64 bits. */
const isInvalid = (file: Handle): boolean => BigInt.asIntN(64, BigInt(file)) === -1n
