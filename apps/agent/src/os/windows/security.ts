import type { Protection } from '@muster/contract/agent/facts'
import { MeasureError } from '../../errors.ts'
import { type ProtectionSource, readProtections } from '../security.ts'
import { type Com, type ComObject, loadCom } from './com.ts'
import { readText } from './registry/read-values.ts'
import { SERVICE_ACCESS, SERVICE_STATE, ServiceManager } from './service-manager.ts'
import { bindLibrary, loadErrors } from './win32.ts'
import { readBitLocker } from './bitlocker.ts'

export type Found = Omit<Protection, 'subject'>

const SOURCES: readonly ProtectionSource[] = [
  { subject: 'antivirus', name: 'Antivirus', read: readAntivirus },
  { subject: 'firewall', name: 'Firewall', read: readFirewalls },
  { subject: 'disk_encryption', name: 'BitLocker', read: readBitLocker },
  { subject: 'tpm', name: 'TPM', read: readTpm },
]

export const readWindowsSecurity = (): Promise<Protection[]> => readProtections(SOURCES)

/** WSCProductList and IWSCProductList of iwscapi.h. Windows Server has no security center. */
const PRODUCT_LIST = {
  classId: '17072F7B-9ABE-4A74-A261-1EB76B55107A',
  interfaceId: '722A338C-6E8E-4E72-AC27-1417FB0C81C2',
  initialize: 7,
  count: 8,
  item: 9,
}
const PRODUCT = { name: 7, state: 8, signatures: 9 }
/** WSC_SECURITY_PROVIDER */
const PROVIDER = { firewall: 1, antivirus: 4 }

async function readAntivirus(): Promise<Found[]> {
  const com = await loadCom()
  const products = listProducts(com, PROVIDER.antivirus)
  if (products === undefined) return readDefender()
  if (products.length > 0) return products
  return [{ name: 'Antivirus', state: 'absent', detail: 'Windows Security Center lists no antivirus.' }]
}

/** Products of Windows Security Center; undefined where there is none. */
function listProducts(com: Com, provider: number): Found[] | undefined {
  using list = openProductList(com)
  if (list === undefined) return undefined
  com.require(list.call(PRODUCT_LIST.initialize, provider), 'Windows Security Center does not respond')
  const count = Buffer.alloc(4)
  com.require(list.call(PRODUCT_LIST.count, count), 'Windows Security Center does not respond')
  return Array.from({ length: count.readInt32LE() }, (_, index) => {
    const found = Buffer.alloc(8)
    com.require(
      list.call(PRODUCT_LIST.item, index, found),
      'Windows Security Center lists a product that cannot be read',
    )
    using product = com.objectAt(found)
    if (product === undefined)
      throw new MeasureError('Windows Security Center lists a product that cannot be read.')
    return readProduct(com, product)
  })
}

function openProductList(com: Com): ComObject | undefined {
  try {
    return com.create(PRODUCT_LIST.classId, PRODUCT_LIST.interfaceId)
  } catch (cause) {
    if (cause instanceof MeasureError) return undefined
    throw cause
  }
}

function readProduct(com: Com, product: ComObject): Found {
  const [name, state, signatures] = [Buffer.alloc(8), Buffer.alloc(4), Buffer.alloc(4)]
  com.require(product.call(PRODUCT.name, name), 'A security product has no name')
  com.require(product.call(PRODUCT.state, state), 'A security product does not state whether it is on')
  // Firewalls have no signatures.
  const hasSignatures = product.call(PRODUCT.signatures, signatures) >= 0
  return describeProduct(
    com.takeText(name),
    state.readInt32LE(),
    hasSignatures ? signatures.readInt32LE() : undefined,
  )
}

const OUT_OF_DATE = 0

/** WSC_SECURITY_PRODUCT_STATE and WSC_SECURITY_SIGNATURE_STATUS. */
export function describeProduct(name: string, state: number, signatures: number | undefined): Found {
  if (state === 1) return { name, state: 'off', detail: '' }
  if (state === 2) return { name, state: 'attention', detail: 'snoozed' }
  if (state === 3) return { name, state: 'attention', detail: 'licence expired' }
  if (state !== 0) return { name, state: 'unknown', detail: `Windows reports state ${state}.` }
  return signatures === OUT_OF_DATE
    ? { name, state: 'attention', detail: 'signatures out of date' }
    : { name, state: 'on', detail: '' }
}

const DEFENDER_KEYS = [
  'HKLM\\SOFTWARE\\Policies\\Microsoft\\Windows Defender\\Real-Time Protection',
  'HKLM\\SOFTWARE\\Microsoft\\Windows Defender\\Real-Time Protection',
]

/** Windows Server: the service of Microsoft Defender. */
async function readDefender(): Promise<Found[]> {
  using manager = await ServiceManager.open()
  using service = manager.find('WinDefend', SERVICE_ACCESS.readStatus)
  if (service === undefined)
    throw new MeasureError(
      'This Windows has no Security Center and no Microsoft Defender. Other products cannot be listed.',
    )
  const settings = await Promise.all(DEFENDER_KEYS.map((key) => readText(key, 'DisableRealtimeMonitoring')))
  return [describeDefender(service.readStatus().state, settings.includes('1'))]
}

export function describeDefender(serviceState: number, hasNoRealTime: boolean): Found {
  const name = 'Microsoft Defender'
  if (serviceState !== SERVICE_STATE.running)
    return { name, state: 'off', detail: 'The service is not running.' }
  return hasNoRealTime
    ? { name, state: 'attention', detail: 'real-time protection is off' }
    : { name, state: 'on', detail: '' }
}

/** NetFwPolicy2 and INetFwPolicy2 of netfw.h. Its answers include group policy. */
const FIREWALL = {
  classId: 'E2B3C97F-6AE1-41AC-817A-F6F92166D7DD',
  interfaceId: '98325047-C671-4174-8D81-DEFCD3F03186',
  profiles: 7,
  isEnabled: 8,
}
/** NET_FW_PROFILE_TYPE2 */
const PROFILES = [
  [1, 'domain'],
  [2, 'private'],
  [4, 'public'],
] as const

async function readFirewalls(): Promise<Found[]> {
  const com = await loadCom()
  // Other firewalls; Windows' own one is not among them.
  const products = listProducts(com, PROVIDER.firewall) ?? []
  using policy = com.create(FIREWALL.classId, FIREWALL.interfaceId)
  const active = Buffer.alloc(4)
  // Left empty if Windows does not know the networks.
  policy.call(FIREWALL.profiles, active)
  const own = PROFILES.map(([profile, name]): Found => {
    const isEnabled = Buffer.alloc(2)
    com.require(
      policy.call(FIREWALL.isEnabled, profile, isEnabled),
      'Windows Firewall does not state whether it is on',
    )
    return {
      name: `Windows Firewall, ${name}`,
      // VARIANT_BOOL: -1 is true.
      state: isEnabled.readInt16LE() === 0 ? 'off' : 'on',
      detail: (active.readUInt32LE() & profile) === 0 ? '' : 'in use',
    }
  })
  return [...products, ...own]
}

interface Tbs {
  deviceInfo: (size: number, info: Buffer) => number
}
const TBS: Record<keyof Tbs, string> = {
  deviceInfo: 'uint32_t __stdcall Tbsi_GetDeviceInfo(uint32_t, uint8_t *)',
}
const TPM_NOT_FOUND = 0x8028400f
const DEVICE_INFO_BYTES = 16

async function readTpm(): Promise<Found[]> {
  const { deviceInfo } = await bindLibrary<Tbs>('tbs.dll', TBS)
  const info = Buffer.alloc(DEVICE_INFO_BYTES)
  info.writeUInt32LE(1)
  const error = deviceInfo(info.length, info)
  if (error !== 0 && error !== TPM_NOT_FOUND) {
    const { describe } = await loadErrors()
    throw new MeasureError(`Windows does not describe the TPM: ${describe(error)}`)
  }
  return [error === 0 ? decodeTpm(info) : { name: 'TPM', state: 'absent', detail: '' }]
}

/** TPM_DEVICE_INFO: versions of the structure and of the TPM, its interface and revision. */
export function decodeTpm(info: Buffer): Found {
  const version = info.readUInt32LE(4)
  const known = { 1: 'TPM 1.2', 2: 'TPM 2.0' }[version]
  return known === undefined
    ? { name: 'TPM', state: 'unknown', detail: `Windows reports version ${version}.` }
    : { name: known, state: 'on', detail: '' }
}
