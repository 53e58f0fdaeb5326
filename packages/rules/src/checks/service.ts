import { type CheckRule, fail, pass, type Severity } from './judgement.ts'

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
