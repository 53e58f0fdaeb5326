import type { Protection } from '@muster/contract/agent/facts'
import { MeasureError } from '../../errors.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { readProtections } from '../security.ts'

type Found = Omit<Protection, 'subject'>

const LIMIT_MS = 10_000
const FIREWALL = '/usr/libexec/ApplicationFirewall/socketfilterfw'

export function readMacSecurity(): Promise<Protection[]> {
  return readProtections([
    {
      subject: 'firewall',
      name: 'Application firewall',
      read: async () => [parseFirewall(await print(FIREWALL, ['--getglobalstate']))],
    },
    {
      subject: 'disk_encryption',
      name: 'FileVault',
      read: async () => [parseFileVault(await print('fdesetup', ['status']))],
    },
    {
      subject: 'access_control',
      name: 'System Integrity Protection',
      read: async () => [parseIntegrity(await print('csrutil', ['status']))],
    },
    {
      subject: 'access_control',
      name: 'Gatekeeper',
      read: async () => [parseGatekeeper(await print('spctl', ['--status']))],
    },
  ])
}

/** Some of these tools report a protection that is off by their exit code. */
async function print(name: string, args: string[]): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS + 1000)
  const { stdout, stderr } = await runTool(name, args, { signal, timeoutMs: LIMIT_MS })
  return `${stdout}\n${stderr}`
}

/** `Firewall is enabled. (State = 1)`; state 2 blocks all incoming connections. */
export function parseFirewall(output: string): Found {
  const name = 'Application firewall'
  const state = /\(State = (\d)\)/.exec(output)?.[1]
  if (state === '0') return { name, state: 'off', detail: '' }
  if (state === '1') return { name, state: 'on', detail: '' }
  if (state === '2') return { name, state: 'on', detail: 'blocks all incoming connections' }
  throw unclear('socketfilterfw', output)
}

/** `FileVault is On.`, with lines for progress: `Encryption in progress: Percent completed = 12`. */
export function parseFileVault(output: string): Found {
  const name = 'FileVault'
  const [, work, percent] =
    /^(Encryption|Decryption) in progress: Percent completed = ([\d.]+)/m.exec(output) ?? []
  if (work !== undefined)
    return { name, state: 'attention', detail: `${work.toLowerCase()} in progress, ${percent} %` }
  if (/^FileVault is On\b/m.test(output)) return { name, state: 'on', detail: '' }
  if (/^FileVault is Off\b/m.test(output)) return { name, state: 'off', detail: '' }
  throw unclear('fdesetup', output)
}

/** `System Integrity Protection status: enabled.`; partly disabled ones are `unknown (Custom Configuration).` */
export function parseIntegrity(output: string): Found {
  const name = 'System Integrity Protection'
  const state = /status: (\w+)/.exec(output)?.[1]
  if (state === 'enabled') return { name, state: 'on', detail: '' }
  if (state === 'disabled') return { name, state: 'off', detail: '' }
  if (state === 'unknown') return { name, state: 'attention', detail: 'custom configuration' }
  throw unclear('csrutil', output)
}

/** `assessments enabled` */
export function parseGatekeeper(output: string): Found {
  const name = 'Gatekeeper'
  if (/^assessments enabled/m.test(output)) return { name, state: 'on', detail: '' }
  if (/^assessments disabled/m.test(output)) return { name, state: 'off', detail: '' }
  throw unclear('spctl', output)
}

function unclear(tool: string, output: string): MeasureError {
  const line = firstLine(output)
  return new MeasureError(line === '' ? `${tool} printed nothing.` : `${tool} printed: ${line}`)
}
