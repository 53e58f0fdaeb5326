import { AgentError } from '../../../errors.ts'
import type { Handle } from '../win32.ts'
import { type Advapi, loadAdvapi } from './advapi.ts'

const ROOTS: Record<string, number> = {
  HKEY_CLASSES_ROOT: 0x80000000,
  HKEY_CURRENT_USER: 0x80000001,
  HKEY_LOCAL_MACHINE: 0x80000002,
  HKEY_USERS: 0x80000003,
  HKEY_CURRENT_CONFIG: 0x80000005,
}
const SHORT: Record<string, string> = {
  HKCR: 'HKEY_CLASSES_ROOT',
  HKCU: 'HKEY_CURRENT_USER',
  HKLM: 'HKEY_LOCAL_MACHINE',
  HKU: 'HKEY_USERS',
  HKCC: 'HKEY_CURRENT_CONFIG',
}
export const ROOT_NAMES = Object.keys(ROOTS)

export const ERROR = { none: 0, notFound: 2, moreData: 234, noMoreItems: 259 } as const
/** The key, or one above it. */
const MISSING = new Set([2, 3])
/** Messages for the error numbers that occur here. */
const SENTENCES: Record<number, string> = {
  2: 'It no longer exists.',
  3: 'It no longer exists.',
  5: 'Access is denied, even to the agent.',
  6: 'It no longer exists.',
  87: 'Windows does not accept this name or value.',
  1018: 'It is being deleted.',
  1021: 'Windows does not allow a permanent key below a volatile one.',
}

/** Always the 64-bit view of the registry. */
const NATIVE_VIEW = 0x100
export const ACCESS = {
  read: 0x20019 | NATIVE_VIEW,
  write: 0x2001f | NATIVE_VIEW,
  all: 0xf003f | NATIVE_VIEW,
} as const

/** An open registry key, closed by `using`. */
export interface RegistryKey extends Disposable {
  advapi: Advapi
  handle: Handle
  /** In full, with the long name of its root. */
  path: string
}

/** The long name of the root, and the rest of the path. Throws if the root does not exist. */
function splitPath(path: string): { root: string; below: string } {
  const [first = '', ...rest] = path.split('\\')
  const upper = first.toUpperCase()
  const root = SHORT[upper] ?? upper
  if (!(root in ROOTS)) throw new AgentError(`A path must start with one of ${ROOT_NAMES.join(', ')}.`)
  return { root, below: rest.join('\\') }
}

export async function openKey(path: string, access: number = ACCESS.read): Promise<RegistryKey> {
  const key = await tryOpen(path, access)
  if (key.error === undefined) return key
  return refuse(key.error, path)
}

/** Opens a key to read; undefined if it does not exist. Throws the message of Windows otherwise. */
export async function findKey(path: string): Promise<RegistryKey | undefined> {
  const key = await tryOpen(path, ACCESS.read)
  if (key.error === undefined) return key
  return MISSING.has(key.error) ? undefined : refuse(key.error, path)
}

async function tryOpen(
  path: string,
  access: number,
): Promise<(RegistryKey & { error?: undefined }) | { error: number }> {
  const advapi = await loadAdvapi()
  const { root, below } = splitPath(path)
  const opened: [Handle] = [0]
  const error = advapi.open(rootHandle(root), below, 0, access, opened)
  return error === ERROR.none
    ? keyOf(advapi, opened[0], below === '' ? root : `${root}\\${below}`)
    : { error }
}

/** Creates the key. Throws if it exists. */
export async function createKey(path: string): Promise<RegistryKey> {
  const advapi = await loadAdvapi()
  const { root, below } = splitPath(path)
  if (below === '') throw new AgentError(`${root} already exists.`)
  const opened: [Handle] = [0]
  const how: [number] = [0]
  require(advapi.create(rootHandle(root), below, 0, null, 0, ACCESS.all, null, opened, how), path)
  const key = keyOf(advapi, opened[0], `${root}\\${below}`)
  if (how[0] === 1) return key
  key[Symbol.dispose]()
  throw new AgentError(`"${path}" already exists.`)
}

/** The parent path, and the last name. Throws for a root, which cannot be changed. */
export function splitLast(path: string): { parent: string; name: string } {
  const { root, below } = splitPath(path)
  const names = below.split('\\')
  const name = names.pop() ?? ''
  if (name === '') throw new AgentError(`${root} itself cannot be changed.`)
  return { parent: [root, ...names].join('\\'), name }
}

/** Throws the message of Windows. */
export function require(error: number, what: string): void {
  if (error !== ERROR.none) refuse(error, what)
}

function refuse(error: number, what: string): never {
  throw new AgentError(`${what}: ${SENTENCES[error] ?? `Windows says error ${error}.`}`.slice(0, 500))
}

function keyOf(advapi: Advapi, handle: Handle, path: string): RegistryKey {
  return { advapi, handle, path, [Symbol.dispose]: () => void advapi.close(handle) }
}

/** Windows stores these as signed numbers of pointer size. */
function rootHandle(root: string): Handle {
  return BigInt.asUintN(64, BigInt.asIntN(32, BigInt(ROOTS[root] ?? 0)))
}
