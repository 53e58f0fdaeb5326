import type { AgentFacts } from '@muster/contract/agent/facts'
import { readFactSources } from '../fact-sources.ts'
import { decodeFirmware, readFirmwareTable } from './firmware.ts'
import { readPhysicalDisks } from './physical-disks.ts'
import { listTexts, readText } from './registry/read-values.ts'
import { readSessions } from './sessions.ts'
import { readWindowsSecurity } from './security.ts'

const CPU_KEY = 'HKLM\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0'
/** Screens of the running system, each with the key of its adapter. */
const VIDEO_KEY = 'HKLM\\HARDWARE\\DEVICEMAP\\VIDEO'

/** Hardware, what protects the machine, and who is signed in. */
export function readWindowsSlowFacts(): Promise<Partial<AgentFacts>> {
  let processors = 1
  return readFactSources([
    {
      name: 'the firmware',
      async read() {
        const { sockets, ...machine } = decodeFirmware(await readFirmwareTable())
        processors = Math.max(1, sockets)
        return machine
      },
    },
    {
      name: 'the processor',
      async read() {
        const name = ((await readText(CPU_KEY, 'ProcessorNameString')) ?? '').trim()
        return { cpus: Array.from({ length: processors }, () => name) }
      },
    },
    { name: 'the graphics cards', read: async () => ({ graphics: await readGraphics() }) },
    { name: 'the physical disks', read: readPhysicalDisks },
    { name: 'the security settings', read: async () => ({ security: await readWindowsSecurity() }) },
    {
      name: 'the signed-in users',
      async read() {
        const user = findSignedInUser(await readSessions())
        return { logged_in_user: user, ...(user === null ? {} : { last_logged_in_user: user }) }
      },
    },
  ])
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
