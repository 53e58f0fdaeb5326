import { bindLibrary, type Call, type Handle } from '../win32.ts'

type Out<T> = [T]

/** The Windows functions that read and write the registry. They return an error number, 0 = success. */
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

// Types of Windows in koffi's notation. An output that is not requested is a `void *`.
const KEY = 'uintptr_t'
const NUMBER = 'uint32_t'
const OUT_NUMBER = '_Out_ uint32_t *'
const IN_OUT = '_Inout_ uint32_t *'
const OUT_KEY = '_Out_ uintptr_t *'
const BYTES = 'uint8_t *'
const NOTHING = 'void *'
const TEXT = 'str16'

const declare = (name: string, ...kinds: string[]) => `long __stdcall ${name}(${kinds.join(', ')})`

const DECLARATIONS = {
  open: declare('RegOpenKeyExW', KEY, TEXT, NUMBER, NUMBER, OUT_KEY),
  create: declare(
    'RegCreateKeyExW',
    KEY,
    TEXT,
    NUMBER,
    NOTHING,
    NUMBER,
    NUMBER,
    NOTHING,
    OUT_KEY,
    OUT_NUMBER,
  ),
  close: declare('RegCloseKey', KEY),
  count: declare(
    'RegQueryInfoKeyW',
    KEY,
    NOTHING,
    NOTHING,
    NOTHING,
    OUT_NUMBER,
    OUT_NUMBER,
    NOTHING,
    OUT_NUMBER,
    OUT_NUMBER,
    OUT_NUMBER,
    NOTHING,
    NOTHING,
  ),
  listKey: declare('RegEnumKeyExW', KEY, NUMBER, BYTES, IN_OUT, NOTHING, NOTHING, NOTHING, NOTHING),
  listValue: declare('RegEnumValueW', KEY, NUMBER, BYTES, IN_OUT, NOTHING, OUT_NUMBER, BYTES, IN_OUT),
  read: declare('RegQueryValueExW', KEY, TEXT, NOTHING, OUT_NUMBER, BYTES, IN_OUT),
  write: declare('RegSetValueExW', KEY, TEXT, NUMBER, NUMBER, BYTES, NUMBER),
  deleteValue: declare('RegDeleteValueW', KEY, TEXT),
  deleteTree: declare('RegDeleteTreeW', KEY, TEXT),
  copyTree: declare('RegCopyTreeW', KEY, NOTHING, KEY),
}

let loaded: Promise<Advapi> | undefined

export function loadAdvapi(): Promise<Advapi> {
  loaded ??= bindLibrary<Advapi>('advapi32.dll', DECLARATIONS)
  return loaded
}
