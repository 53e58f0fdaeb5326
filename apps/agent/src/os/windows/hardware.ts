import type { AgentFacts } from '@muster/contract/agent/facts'
import { decodeFirmware, readFirmwareTable } from './firmware.ts'
import { readPhysicalDisks } from './physical-disks.ts'
import { listTexts, readText } from './registry/read-values.ts'
import { readSessions } from './sessions.ts'
import { readWindowsSecurity } from './security.ts'

const CPU_KEY = 'HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0'
/** Screens of the running system, each with the key of its adapter. */
const VIDEO_KEY = 'HKLM\\HARDWARE\\DEVICEMAP\\VIDEO'

/** Hardware, what protects the machine, and who is signed in. */
export async function readWindowsSlowFacts(): Promise<Partial<AgentFacts>> {
  const { sockets, ...machine } = decodeFirmware(await readFirmwareTable())
  const name = ((await readText(CPU_KEY, 'ProcessorNameString')) ?? '').trim()
  const user = findSignedInUser(await readSessions())
  return {
    ...machine,
    cpus: Array.from({ length: Math.max(1, sockets) }, () => name),
    graphics: await readGraphics(),
    physical_disks: await readPhysicalDisks(),
    security: await readWindowsSecurity(),
    logged_in_user: user,
    ...(user === null ? {} : { last_logged_in_user: user }),
  }
}

/** A user at work comes before one who has disconnected. */
export function findSignedInUser(sessions: readonly { user: string; isActive: boolean }[]): string | null {
  const found = sessions.find(({ isActive }) => isActive) ?? sessions[0]
  return found?.user ?? null
}

async function readGraphics(): Promise<string[]> {
  const keys = [...(await listTexts(VIDEO_KEY))]
    .filter(([name]) => /^\\Device\\Video\d+$/i.test(name))
    .map(([, key]) => key.replace(/^\\Registry\\Machine\\/i, 'HKLM\\'))
  const names = await Promise.all([...new Set(keys)].map((key) => readText(key, 'DriverDesc')))
  return names.filter((name) => name !== undefined)
}
