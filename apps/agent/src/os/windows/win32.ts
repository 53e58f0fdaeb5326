import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { AgentError } from '../../errors.ts'
import { describeError } from '../../log/log.ts'

/** A handle or an address of Windows; 0 = none. */
export type Handle = number | bigint

type Koffi = (typeof import('koffi'))['default']

/** Packages of the agent have koffi's native module there. It needs none of the package's other files. */
const BESIDE_PROGRAM = join(import.meta.dirname, 'koffi.node')

/** Loads koffi, which calls functions of Windows. Throws AgentError if it is not installed. */
export async function loadKoffi(): Promise<Koffi> {
  try {
    // The file has the interface of the package.
    if (existsSync(BESIDE_PROGRAM)) return createRequire(import.meta.url)(BESIDE_PROGRAM) as Koffi
    return (await import('koffi')).default
  } catch (cause) {
    const why = describeError(cause).slice(0, 200)
    throw new AgentError(`The Windows module of this agent is missing. Install the agent again. (${why})`, {
      cause,
    })
  }
}

/**
 * Loads functions of a Windows library. Each declaration is the one of the Windows API in koffi's notation, such as
 * `'int __stdcall CloseHandle(uintptr_t)'`; the caller states the same types for TypeScript.
 */
export async function bindLibrary<Functions extends object>(
  file: string,
  declarations: Readonly<Record<keyof Functions, string>>,
): Promise<Functions> {
  const library = (await loadKoffi()).load(file)
  const bound = Object.entries<string>(declarations).map(([name, definition]) => [
    name,
    library.func(definition),
  ])
  // The declarations above are the types.
  return Object.fromEntries(bound) as Functions
}
