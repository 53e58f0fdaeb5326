import { MAX_SERVICES, type MachineService } from '@muster/contract/agent/services'
import { AgentError } from '../../errors.ts'
import { firstLine, runTool } from '../run-tool.ts'
import type { ServiceTools } from '../os.ts'
import { completeUnit, requireHarmlessStart, systemctl } from './systemctl.ts'
import { unitName } from './systemd-service.ts'

const LIST_LIMIT_MS = 15_000
/** A job finishes when the service reports ready, which some never do. */
const JOB_LIMIT_MS = 30_000
const PLAIN = ['--type=service', '--all', '--no-legend', '--no-pager', '--plain']
const PROPERTIES = 'Id,Description,LoadState,ActiveState,SubState,UnitFileState,MainPID,User,ExecStart'

export const linuxServiceTools: ServiceTools = {
  ownName: unitName,
  async list(name) {
    const names = name === null ? await listNames() : [completeUnit(name, 'service')]
    const { stdout } = await ask(['show', `--property=${PROPERTIES}`, '--', ...names], LIST_LIMIT_MS)
    return parseUnits(stdout)
  },
  async control(name, action) {
    if (action !== 'stop') requireHarmlessStart(name)
    await demand([action, '--no-ask-password', '--', name])
  },
  async setStartType(name, startType) {
    if (startType === 'autodelay') throw new AgentError('systemd does not support a delayed start.')
    // A masked service can neither be enabled nor disabled.
    if (startType !== 'disabled') await demand(['unmask', '--', name])
    await demand([{ auto: 'enable', manual: 'disable', disabled: 'mask' }[startType], '--', name])
  },
  async readLog(name, lines) {
    const signal = AbortSignal.timeout(LIST_LIMIT_MS)
    const [service] = await linuxServiceTools.list(name)
    // A service that was removed still has its log.
    const unit = service?.name ?? completeUnit(name, 'service')
    const args = ['--unit', unit, '--lines', String(lines), '--output=short-iso', '--no-pager', '--quiet']
    const { code, stdout, stderr } = await runTool('journalctl', args, { signal, timeoutMs: LIST_LIMIT_MS })
    if (code !== 0) throw new AgentError(`Failed to read the journal: ${firstLine(stderr, stdout)}`)
    return stdout.split('\n').filter((line) => line !== '')
  },
}

/** Loaded units, and units that only have a file. A template is no service before it has an instance. */
async function listNames(): Promise<string[]> {
  const [units, files] = await Promise.all([
    ask(['list-units', ...PLAIN], LIST_LIMIT_MS),
    ask(['list-unit-files', ...PLAIN], LIST_LIMIT_MS),
  ])
  const names = `${units.stdout}\n${files.stdout}`
    .split('\n')
    .map((line) => line.trim().split(/\s+/)[0] ?? '')
  const services = names.filter((name) => /^[^@-][^@]*(@[^@]+)?\.service$/.test(name) && !name.includes('@.'))
  return [...new Set(services)].slice(0, MAX_SERVICES)
}

/** The output of `systemctl show` for several units: one block of lines per unit. */
export function parseUnits(output: string): MachineService[] {
  return output.split(/\n\s*\n/).flatMap((block) => {
    const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1]?.trim() ?? ''
    const [name, active, sub, file, load] = [
      'Id',
      'ActiveState',
      'SubState',
      'UnitFileState',
      'LoadState',
    ].map(value)
    // An alias, or a name that is only referenced.
    if (!name || (load === 'not-found' && active === 'inactive')) return []
    const [, path = ''] = /argv\[\]=(.*?) ; /.exec(value('ExecStart')) ?? []
    return [
      {
        name: name.slice(0, 255),
        display_name: name.replace(/\.service$/, '').slice(0, 255),
        description: value('Description').slice(0, 500),
        status: STATUS[active ?? ''] ?? 'unknown',
        detail: (sub ?? '').slice(0, 100),
        start_type: START_TYPES[file ?? ''] ?? 'fixed',
        autodelay: false,
        pid: Number(/^\d{1,10}$/.exec(value('MainPID'))?.[0] ?? 0),
        username: value('User').slice(0, 255),
        binpath: path.slice(0, 500),
      },
    ]
  })
}

const STATUS: Partial<Record<string, MachineService['status']>> = {
  active: 'running',
  reloading: 'running',
  refreshing: 'running',
  activating: 'starting',
  deactivating: 'stopping',
  inactive: 'stopped',
  maintenance: 'stopped',
  failed: 'failed',
}

const START_TYPES: Partial<Record<string, MachineService['start_type']>> = {
  enabled: 'auto',
  'enabled-runtime': 'auto',
  disabled: 'manual',
  masked: 'disabled',
  'masked-runtime': 'disabled',
}

async function ask(args: string[], timeoutMs: number) {
  const answer = await systemctl(args, AbortSignal.timeout(timeoutMs + 1000), timeoutMs)
  if (answer.code !== 0 && answer.stdout === '')
    throw new AgentError(`Failed to list the services: ${firstLine(answer.stderr)}`)
  return answer
}

async function demand(args: string[]): Promise<void> {
  const { code, stderr, stdout, timedOut } = await systemctl(
    args,
    AbortSignal.timeout(JOB_LIMIT_MS + 1000),
    JOB_LIMIT_MS,
  )
  if (timedOut)
    throw new AgentError(
      `systemd has not finished within ${JOB_LIMIT_MS / 1000} seconds and continues in the background.`,
    )
  if (code !== 0) throw new AgentError(`systemd refused: ${firstLine(stderr, stdout)}`)
}
