import { describeError } from '../../../log/log.ts'
import { AgentError } from '../../../errors.ts'

/** An open key; 0 = none. */
export type Handle = number | bigint
type Out<T> = [T]

/** A Windows function: returns an error number, 0 = success. */
type Call<Values extends unknown[]> = (...values: Values) => number

/** The Windows functions that read and write the registry, with their parameters in order. */
export interface Advapi {
  open: Call<[key: Handle, path: string, options: number, access: number, opened: Out<Handle>]>
  create: Call<
    [
      key: Handle,
      path: string,
      reserved: 0,
      kind: null,
      options: 0,
      access: number,
      security: null,
      opened: Out<Handle>,
      how: Out<number>,
    ]
  >
  close: Call<[key: Handle]>
  count: Call<
    [
      key: Handle,
      kind: null,
      kindLength: null,
      reserved: null,
      keys: Out<number>,
      longestKey: Out<number>,
      longestKind: null,
      values: Out<number>,
      longestName: Out<number>,
      longestData: Out<number>,
      security: null,
      written: null,
    ]
  >
  listKey: Call<
    [
      key: Handle,
      index: number,
      name: Buffer,
      length: Out<number>,
      reserved: null,
      kind: null,
      kindLength: null,
      written: null,
    ]
  >
  listValue: Call<
    [
      key: Handle,
      index: number,
      name: Buffer,
      length: Out<number>,
      reserved: null,
      type: Out<number>,
      data: Buffer | null,
      size: Out<number>,
    ]
  >
  read: Call<
    [key: Handle, name: string, reserved: null, type: Out<number>, data: Buffer | null, size: Out<number>]
  >
  write: Call<[key: Handle, name: string, reserved: 0, type: number, data: Buffer, size: number]>
  deleteValue: Call<[key: Handle, name: string]>
  deleteTree: Call<[key: Handle, path: string]>
  copyTree: Call<[from: Handle, path: null, to: Handle]>
}

let loaded: Promise<Advapi> | undefined

export function loadAdvapi(): Promise<Advapi> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<Advapi> {
  const { default: koffi } = await import('koffi').catch((cause: unknown) => {
    const why = describeError(cause).slice(0, 200)
    throw new AgentError(`The registry module of this agent is missing. Install the agent again. (${why})`, {
      cause,
    })
  })
  const library = koffi.load('advapi32.dll')
  const define = (name: string, ...kinds: string[]) =>
    library.func(`long __stdcall ${name}(${kinds.join(', ')})`)
  const [key, text, number, nothing] = ['uintptr_t', 'str16', 'uint32_t', 'void *']
  const [outNumber, inOut, bytes, outKey] = [
    '_Out_ uint32_t *',
    '_Inout_ uint32_t *',
    'uint8_t *',
    '_Out_ uintptr_t *',
  ]
  return {
    open: define('RegOpenKeyExW', key, text, number, number, outKey),
    create: define('RegCreateKeyExW', key, text, number, nothing, number, number, nothing, outKey, outNumber),
    close: define('RegCloseKey', key),
    // An output that is not requested has no address.
    count: define(
      'RegQueryInfoKeyW',
      key,
      nothing,
      nothing,
      nothing,
      outNumber,
      outNumber,
      nothing,
      outNumber,
      outNumber,
      outNumber,
      nothing,
      nothing,
    ),
    listKey: define('RegEnumKeyExW', key, number, bytes, inOut, nothing, nothing, nothing, nothing),
    listValue: define('RegEnumValueW', key, number, bytes, inOut, nothing, outNumber, bytes, inOut),
    read: define('RegQueryValueExW', key, text, nothing, outNumber, bytes, inOut),
    write: define('RegSetValueExW', key, text, number, number, bytes, number),
    deleteValue: define('RegDeleteValueW', key, text),
    deleteTree: define('RegDeleteTreeW', key, text),
    copyTree: define('RegCopyTreeW', key, nothing, key),
  }
}
