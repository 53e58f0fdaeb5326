import { MeasureError } from '../../errors.ts'
import { encodeGuid, loadCom } from './com.ts'
import type { Found } from './security.ts'
import { bindLibrary, type Call } from './win32.ts'

interface Kernel {
  drives: () => number
  kindOf: (root: string) => number
}
const KERNEL: Record<keyof Kernel, string> = {
  drives: 'uint32_t __stdcall GetLogicalDrives()',
  kindOf: 'uint32_t __stdcall GetDriveTypeW(str16)',
}
interface Shell {
  createItem: Call<[path: string, context: null, interfaceId: Buffer, item: Buffer]>
}
const SHELL: Record<keyof Shell, string> = {
  createItem: 'int32_t __stdcall SHCreateItemFromParsingName(str16, void *, uint8_t *, uint8_t *)',
}
interface Properties {
  keyOf: (name: string, key: Buffer) => number
}
const PROPERTIES: Record<keyof Properties, string> = {
  keyOf: 'int32_t __stdcall PSGetPropertyKeyFromName(str16, uint8_t *)',
}

const DRIVE_FIXED = 3
/** IShellItem2 and its method GetProperty. */
const ITEM = { interfaceId: '7E9FB0D3-919F-4307-AB2E-9B1860310C93', getProperty: 12 }
const PROPERTY = 'System.Volume.BitLockerProtection'
const PROPERTY_KEY_BYTES = 20
const VARIANT_BYTES = 24
const VARIANT_TYPE = { empty: 0, int32: 3, uint32: 19 }

/**
 * BitLocker of each fixed volume, as the Explorer shows it. The property of the shell is the only source without
 * PowerShell or texts in the language of the system.
 */
export async function readBitLocker(): Promise<Found[]> {
  const com = await loadCom()
  const [kernel, shell, properties] = await Promise.all([
    bindLibrary<Kernel>('kernel32.dll', KERNEL),
    bindLibrary<Shell>('shell32.dll', SHELL),
    bindLibrary<Properties>('propsys.dll', PROPERTIES),
  ])
  const key = Buffer.alloc(PROPERTY_KEY_BYTES)
  com.require(properties.keyOf(PROPERTY, key), 'This Windows does not show BitLocker')
  const mask = kernel.drives()
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('').filter((_, at) => ((mask >> at) & 1) === 1)
  return letters
    .map((letter) => `${letter}:`)
    .filter((drive) => kernel.kindOf(`${drive}\\`) === DRIVE_FIXED)
    .map((drive) => {
      const found = Buffer.alloc(8)
      const result = shell.createItem(`${drive}\\`, null, encodeGuid(ITEM.interfaceId), found)
      com.require(result, `Windows does not show the volume ${drive}`)
      using item = com.objectAt(found)
      if (item === undefined) throw new MeasureError(`Windows does not show the volume ${drive}.`)
      const value = Buffer.alloc(VARIANT_BYTES)
      com.require(item.call(ITEM.getProperty, key, value), `Windows does not show BitLocker of ${drive}`)
      return describeVolume(drive, decodeNumber(value))
    })
}

/** PROPVARIANT: a type, then its value; undefined if it is empty or no number. */
export function decodeNumber(variant: Buffer): number | undefined {
  const type = variant.readUInt16LE()
  return type === VARIANT_TYPE.int32 || type === VARIANT_TYPE.uint32 ? variant.readInt32LE(8) : undefined
}

/** Values of System.Volume.BitLockerProtection. Microsoft has not published them; they are the same since Windows 7. */
export function describeVolume(name: string, value: number | undefined): Found {
  switch (value) {
    case undefined:
      return { name, state: 'unknown', detail: 'Windows does not state whether BitLocker is on.' }
    case 1:
      return { name, state: 'on', detail: '' }
    case 2:
      return { name, state: 'off', detail: '' }
    case 3:
      return { name, state: 'attention', detail: 'encryption in progress' }
    case 4:
      return { name, state: 'attention', detail: 'decryption in progress' }
    case 5:
      return { name, state: 'attention', detail: 'suspended' }
    case 6:
      return { name, state: 'on', detail: 'locked' }
    default:
      return { name, state: 'unknown', detail: `Windows reports state ${value}.` }
  }
}
