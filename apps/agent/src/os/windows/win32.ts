import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { AgentError } from '../../errors.ts'
import { describeError } from '../../log/log.ts'

/** A handle or an address of Windows; 0 = none. */
export type Handle = number | bigint

/** A Windows function with its parameters in order. */
export type Call<Values extends unknown[], Result = number> = (...values: Values) => Result
/** A parameter that a function writes to. */
export type Out<T> = [T]

type Koffi = (typeof import('koffi'))['default']

/**
 * Packages of the agent have koffi's native module there, for all versions of the agent. It needs none of the package's
 * other files.
 */
const BESIDE_NODE = join(dirname(process.execPath), 'koffi.node')

/** Loads koffi, which calls functions of Windows. Throws AgentError if it is not installed. */
export async function loadKoffi(): Promise<Koffi> {
  try {
    // The file has the interface of the package.
    if (existsSync(BESIDE_NODE)) return createRequire(import.meta.url)(BESIDE_NODE) as Koffi
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

/** A Windows function that may block, called on another thread: its result and, if that is 0, the error number. */
export function callOnThread<Values extends unknown[]>(
  errors: WindowsErrors,
  call: (...values: Values) => number,
  ...values: Values
): Promise<{ result: number; error: number }> {
  // koffi gives every function a variant that calls back; its callback still has the error of that thread.
  const { async: start } = call as unknown as { async: (...all: unknown[]) => void }
  return new Promise((resolve, reject) => {
    start(...values, (cause: Error | null, result: number) => {
      const error = cause === null && result === 0 ? errors.last() : 0
      // Windows writes to buffers among the values, which must live until now.
      values.length = 0
      if (cause === null) resolve({ result, error })
      else reject(cause)
    })
  })
}

export interface WindowsErrors {
  /** The error number of the function that was called last. */
  last: () => number
  /** The message of Windows for an error number, as a sentence. */
  describe: (error: number) => string
}

const ERRORS = {
  last: 'uint32_t __stdcall GetLastError()',
  format:
    'uint32_t __stdcall FormatMessageW(uint32_t, void *, uint32_t, uint32_t, uint8_t *, uint32_t, void *)',
}
interface ErrorFunctions {
  last: () => number
  format: Call<
    [flags: number, source: null, error: number, language: number, text: Buffer, length: number, more: null]
  >
}
/** FORMAT_MESSAGE_FROM_SYSTEM and FORMAT_MESSAGE_IGNORE_INSERTS. */
const SYSTEM_MESSAGE = 0x1200
/** English if it is installed, else the language of the system. */
const LANGUAGES = [0x0409, 0]
const MESSAGE_CHARACTERS = 512

let loadedErrors: Promise<WindowsErrors> | undefined

export function loadErrors(): Promise<WindowsErrors> {
  loadedErrors ??= bindErrors()
  return loadedErrors
}

async function bindErrors(): Promise<WindowsErrors> {
  const { last, format } = await bindLibrary<ErrorFunctions>('kernel32.dll', ERRORS)
  return {
    last,
    describe(error) {
      const text = Buffer.alloc(MESSAGE_CHARACTERS * 2)
      for (const language of LANGUAGES) {
        const length = format(SYSTEM_MESSAGE, null, error, language, text, MESSAGE_CHARACTERS, null)
        const message = text
          .toString('utf16le', 0, length * 2)
          .replaceAll(/\s+/g, ' ')
          .trim()
        if (message !== '') return message
      }
      return `Windows reports error ${error}.`
    },
  }
}

/** UTF-16 text up to its terminator. */
export function readWide(buffer: Buffer, offset = 0): string {
  let end = offset
  while (end + 1 < buffer.length && buffer.readUInt16LE(end) !== 0) end += 2
  return buffer.toString('utf16le', offset, end)
}

/** The UTF-16 text that a pointer at `offset` leads to, which Windows puts into the same buffer; empty for none. */
export function readWidePointer(buffer: Buffer, offset: number, address: bigint): string {
  const to = buffer.readBigUInt64LE(offset) - address
  return to < 0n || to >= BigInt(buffer.length) ? '' : readWide(buffer, Number(to))
}
