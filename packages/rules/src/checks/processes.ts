import { type CheckRule, fail, formatSizeBeside, MB, pass, type Severity, sizeLimit } from './judgement.ts'

interface ProcessCheck {
  process_name: string
  expect: 'running' | 'not_running'
  /** Absent in older checks: at least one, and any number. */
  min_count?: number
  /** 0 = any. */
  max_count?: number
  /** Total megabytes; 0 = any. */
  max_memory_mb: number
  alert_severity: Severity
}

export const process: CheckRule<ProcessCheck, { count: number; memory_bytes: number }> = {
  judge(check, { count, memory_bytes }) {
    const many = `${count} ${count === 1 ? 'process' : 'processes'} named ${check.process_name}`
    const memory = formatSizeBeside(sizeLimit(check.max_memory_mb), memory_bytes)
    const info = count === 0 ? `No process named ${check.process_name}` : `${many}, ${memory}`
    if (check.expect === 'not_running') return count === 0 ? pass(info) : fail(check.alert_severity, info)
    const { min_count: least = 1, max_count: most = 0, max_memory_mb } = check
    const isTooLarge = max_memory_mb > 0 && memory_bytes > max_memory_mb * MB
    const isMany = most > 0 && count > most
    return count < least || isMany || isTooLarge ? fail(check.alert_severity, info) : pass(info)
  },
  series: ({ count, memory_bytes }) => [
    { name: 'count', value: count, unit: '' },
    { name: 'memory', value: memory_bytes, unit: 'B' },
  ],
}

interface ServiceCheck {
  svc_name: string
  pass_if_start_pending: boolean
  pass_if_svc_not_exist: boolean
  alert_severity: Severity
}
interface ServiceState {
  state: 'running' | 'start_pending' | 'stopped' | 'failed' | 'missing'
  restarted: boolean
}

const WORDS = { running: 'runs', start_pending: 'is starting', stopped: 'is stopped', failed: 'has failed' }

export const service: CheckRule<ServiceCheck, ServiceState> = {
  judge(check, { state, restarted }) {
    const info =
      state === 'missing'
        ? `Service ${check.svc_name} does not exist.`
        : `${check.svc_name} ${WORDS[state]}${restarted ? ', after a restart' : ''}`
    const passes =
      state === 'running' ||
      (state === 'start_pending' && check.pass_if_start_pending) ||
      (state === 'missing' && check.pass_if_svc_not_exist)
    return passes ? pass(info) : fail(check.alert_severity, info)
  },
  series: ({ state }) => [{ name: 'running', value: state === 'running' ? 1 : 0, unit: '' }],
}
