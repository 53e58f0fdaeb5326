import { MAX_SERVICES, type MachineService } from '@muster/contract/agent/services'
import { AgentError } from '../../errors.ts'
import { firstLine, runTool } from '../run-tool.ts'
import type { ServiceTools } from '../os.ts'
import { daemonLabel } from './launchd-service.ts'

const LIMIT_MS = 20_000

/** System services. Services of signed-in users belong to their sessions. */
export const macosServiceTools: ServiceTools = {
  ownName: daemonLabel,
  async list(name) {
    const [jobs, disabled] = await Promise.all([launchctl(['list']), launchctl(['print-disabled', 'system'])])
    return parseJobs(jobs, disabled).filter((service) => name === null || service.name === name)
  },
  async control(name, action) {
    const target = `system/${name}`
    if (action === 'start') await launchctl(['kickstart', target])
    if (action === 'restart') await launchctl(['kickstart', '-k', target])
    if (action === 'stop') await launchctl(['kill', 'SIGTERM', target])
  },
  async setStartType(name, startType) {
    if (startType === 'autodelay' || startType === 'manual')
      throw new AgentError('launchd supports only enabled and disabled.')
    await launchctl([startType === 'auto' ? 'enable' : 'disable', `system/${name}`])
  },
  async readLog() {
    throw new AgentError('Logs of single services are available on Linux only.')
  },
}

/** From `launchctl list` (PID, last exit code, label) and `launchctl print-disabled system`. */
export function parseJobs(output: string, disabled: string): MachineService[] {
  const isDisabled = new Map(
    [...disabled.matchAll(/"([^"]+)" => (\w+)/g)].map(([, label, word]) => [
      label ?? '',
      word === 'disabled' || word === 'true',
    ]),
  )
  const services = output.split('\n').flatMap((line): MachineService[] => {
    const [, pid, code, label] = /^(\d+|-)\t(-?\d+)\t(\S+)$/.exec(line) ?? []
    if (label === undefined) return []
    const status = pid !== '-' ? 'running' : code === '0' ? 'stopped' : 'failed'
    return [
      {
        name: label.slice(0, 255),
        display_name: label.slice(0, 255),
        description: '',
        status,
        detail: pid === '-' && code !== '0' ? `last exit code ${code}` : '',
        start_type: isDisabled.get(label) === true ? 'disabled' : 'auto',
        autodelay: false,
        pid: pid === '-' ? 0 : Number(pid),
        username: '',
        binpath: '',
      },
    ]
  })
  return services.slice(0, MAX_SERVICES)
}

async function launchctl(args: string[]): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS + 1000)
  const { code, stdout, stderr } = await runTool('launchctl', args, { signal, timeoutMs: LIMIT_MS })
  if (code !== 0) throw new AgentError(`launchd refused: ${firstLine(stderr, stdout)}`)
  return stdout
}
