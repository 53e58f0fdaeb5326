import { MeasureError } from '../../errors.ts'
import { bindLibrary, type Call, type Handle, loadErrors, loadKoffi } from './win32.ts'

/** A COM object. Dispose it once: that is its Release. */
export interface ComObject extends Disposable {
  /**
   * Calls a method by its position in the interface, counted from IUnknown, with up to four values: numbers, and
   * buffers for pointers and for VARIANTs. Returns the HRESULT.
   */
  call: (method: number, ...values: (number | bigint | Buffer)[]) => number
}

export interface Com {
  /** Throws MeasureError with the message of Windows. */
  create: (classId: string, interfaceId: string) => ComObject
  /** The object whose address a method has written to the first eight bytes; undefined for none. */
  objectAt: (buffer: Buffer) => ComObject | undefined
  /** Throws MeasureError unless the HRESULT is a success. */
  require: (result: number, what: string) => void
  /** The text at the address in the first eight bytes (BSTR), which is freed. */
  takeText: (buffer: Buffer) => string
  /** Calls `use` with the address of a text (BSTR), which is freed afterwards. */
  withText: <Result>(text: string, use: (address: bigint) => Result) => Result
}

interface Ole {
  begin: (reserved: null, model: 0) => number
  create: Call<[classId: Buffer, outer: null, context: number, interfaceId: Buffer, object: Buffer]>
}
const OLE: Record<keyof Ole, string> = {
  begin: 'int32_t __stdcall CoInitializeEx(void *, uint32_t)',
  create: 'int32_t __stdcall CoCreateInstance(uint8_t *, void *, uint32_t, uint8_t *, uint8_t *)',
}
interface Automation {
  textBytes: (text: Handle) => number
  freeText: (text: Handle) => void
  makeText: (text: string) => Handle
}
const AUTOMATION: Record<keyof Automation, string> = {
  textBytes: 'uint32_t __stdcall SysStringByteLen(uintptr_t)',
  freeText: 'void __stdcall SysFreeString(uintptr_t)',
  makeText: 'uintptr_t __stdcall SysAllocString(str16)',
}

/** CLSCTX_INPROC_SERVER and CLSCTX_LOCAL_SERVER. */
const ANY_SERVER = 0x5
const RELEASE = 2
const POINTER_BYTES = 8

let loaded: Promise<Com> | undefined

export function loadCom(): Promise<Com> {
  loaded ??= bindCom()
  return loaded
}

async function bindCom(): Promise<Com> {
  const koffi = await loadKoffi()
  const [ole, automation, { describe }] = await Promise.all([
    bindLibrary<Ole>('ole32.dll', OLE),
    bindLibrary<Automation>('oleaut32.dll', AUTOMATION),
    loadErrors(),
  ])
  // Every method is declared alike: it ignores registers and stack slots of values that it does not have. A VARIANT is
  // larger than a register, so that its address is passed.
  const method = koffi.proto('int32_t __stdcall ComMethod(uintptr_t, intptr_t, intptr_t, intptr_t, intptr_t)')
  const begun = ole.begin(null, 0)
  const read = (address: bigint, bytes: number) => Buffer.from(new Uint8Array(koffi.view(address, bytes)))
  const require = (result: number, what: string) => {
    if (result < 0) throw new MeasureError(`${what}: ${describe(result >>> 0)}`)
  }
  require(begun, 'Windows offers no components')

  function objectAt(buffer: Buffer): ComObject | undefined {
    const address = buffer.readBigUInt64LE()
    if (address === 0n) return undefined
    const table = read(address, POINTER_BYTES).readBigUInt64LE()
    const call: ComObject['call'] = (at, ...values) => {
      const code = read(table + BigInt(at * POINTER_BYTES), POINTER_BYTES).readBigUInt64LE()
      const [one = 0, two = 0, three = 0, four = 0] = values.map((value) =>
        Buffer.isBuffer(value) ? koffi.address(value) : value,
      )
      // The result type of the declaration above.
      return koffi.call(code, method, address, one, two, three, four) as number
    }
    return { call, [Symbol.dispose]: () => void call(RELEASE) }
  }

  return {
    objectAt,
    require,
    create(classId, interfaceId) {
      const object = Buffer.alloc(POINTER_BYTES)
      const result = ole.create(encodeGuid(classId), null, ANY_SERVER, encodeGuid(interfaceId), object)
      require(result, 'Windows has no such component')
      const created = objectAt(object)
      if (created === undefined) throw new MeasureError('Windows created no component.')
      return created
    },
    withText(text, use) {
      const address = BigInt(automation.makeText(text))
      try {
        return use(address)
      } finally {
        automation.freeText(address)
      }
    },
    takeText(buffer) {
      const address = buffer.readBigUInt64LE()
      if (address === 0n) return ''
      const text = read(address, automation.textBytes(address)).toString('utf16le')
      automation.freeText(address)
      return text
    },
  }
}

/** GUID: the first three groups are numbers in the byte order of the processor, the others are bytes. */
export function encodeGuid(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex')
  bytes.subarray(0, 4).reverse()
  bytes.subarray(4, 6).reverse()
  bytes.subarray(6, 8).reverse()
  return bytes
}
