import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { isMachineId } from '../machine-identity.ts'
import { loadNtdll } from './ntdll.ts'
import { findText, keyExists, readText } from './registry/read-values.ts'
import { findKey } from './registry/registry-key.ts'

const VERSION_KEY = 'HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion'
const CRYPTOGRAPHY_KEY = 'HKLM\\SOFTWARE\\Microsoft\\Cryptography'
const TIME_ZONE_KEY = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\TimeZoneInformation'
const SESSION_KEY = 'HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager'
/** They exist while an update waits for a reboot. */
const REBOOT_KEYS = [
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending',
  'HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\RebootRequired',
]
const WINDOWS_11_BUILD = 22_000

export async function findWindowsMachineId(): Promise<string | undefined> {
  const id = await readText(CRYPTOGRAPHY_KEY, 'MachineGuid')
  return id !== undefined && isMachineId(id) ? id : undefined
}

export async function readWindowsVersion(): Promise<{ os_name: string; os_version: string }> {
  const version = (await loadNtdll()).readVersion()
  using key = await findKey(VERSION_KEY)
  const find = (name: string) => (key === undefined ? '' : (findText(key, name) ?? ''))
  return describeVersion(version, find)
}

/** For example `Windows 11 Pro` and `24H2 (10.0.26100.2314)`. Windows 11 still calls itself 10 in the registry. */
export function describeVersion(
  { major, minor, build }: { major: number; minor: number; build: number },
  find: (name: string) => string,
): { os_name: string; os_version: string } {
  const product = find('ProductName') || 'Windows'
  const revision = find('UBR')
  const number = `${major}.${minor}.${build}${revision === '' ? '' : `.${revision}`}`
  const release = find('DisplayVersion') || find('ReleaseId')
  return {
    os_name: build >= WINDOWS_11_BUILD ? product.replace(/^Windows 10\b/, 'Windows 11') : product,
    os_version: release === '' ? number : `${release} (${number})`,
  }
}

/** Updates, or files that are replaced at the next start. */
export async function needsReboot(): Promise<boolean> {
  for (const key of REBOOT_KEYS) if (await keyExists(key)) return true
  return ((await readText(SESSION_KEY, 'PendingFileRenameOperations')) ?? '').trim() !== ''
}

let known: { key: string; zone: string } | undefined

/**
 * The IANA name of the time zone. Node keeps that of its start, so that another process is asked when Windows has
 * another one. UTC is UTC: some versions of Node name a country that has the same time.
 */
export async function readWindowsTimeZone(): Promise<string> {
  const key = (await readText(TIME_ZONE_KEY, 'TimeZoneKeyName')) ?? ''
  if (known?.key !== key) known = { key, zone: await findZone(key) }
  return known.zone
}

async function findZone(key: string): Promise<string> {
  if (key === 'UTC') return 'UTC'
  // The variable TZ is that of the agent, not of the machine.
  if (known === undefined && process.env.TZ === undefined)
    return Intl.DateTimeFormat().resolvedOptions().timeZone
  const script = 'process.stdout.write(Intl.DateTimeFormat().resolvedOptions().timeZone)'
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
    windowsHide: true,
    env: { ...process.env, TZ: undefined },
  })
  return stdout
}
