import type { AgentDetail } from '@muster/contract/api/agents'
import { getAgent } from '@muster/contract/api/agents'
import {
  type Check,
  type CheckState,
  createCheck,
  deleteCheck,
  editCheck,
  getCheck,
  getCheckSamples,
  listAgentChecks,
  resetAllChecks,
  resetCheck,
  runChecks,
} from '@muster/contract/api/checks'
import type { CheckSamples } from '@muster/contract/checks/check-samples'
import { listScripts } from '@muster/contract/api/scripts'
import type { Me } from '@muster/contract/api/users'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

export const AGENT = 'alpha0000000'

/** A check for tests; passing by default. */
export function testCheck(more: Partial<Check> = {}, state: Partial<CheckState> = {}): Check {
  return {
    id: 1,
    agent_id: AGENT,
    settings: { check_type: 'cpuload', warning_threshold: 70, error_threshold: 90 },
    readable_desc: 'CPU load',
    script_name: null,
    fails_b4_alert: 1,
    run_interval: 0,
    policy: null,
    policy_name: null,
    overridden_by_policy: false,
    depends_on: null,
    dependency: null,
    modified: 'm1',
    ...more,
    check_result: {
      id: more.id ?? 1,
      status: 'passing',
      alert_severity: null,
      more_info: '12 % in use on average',
      last_run: new Date(Date.now() - 30_000).toISOString(),
      fresh_until: new Date(Date.now() + 210_000).toISOString(),
      fail_count: 0,
      failing_since: null,
      stdout: '',
      stderr: '',
      retcode: null,
      execution_time: null,
      ...state,
    },
  }
}

/** Samples of the last minutes, one each minute, the newest last. */
export function testSamples(values: readonly number[], more: Partial<CheckSamples> = {}): CheckSamples {
  const end = Math.floor(Date.now() / 1000) - 30
  const points = values.map((value, index): [number, number, number, number] => [
    end - (values.length - 1 - index) * 60,
    value,
    value,
    value,
  ])
  return {
    resolution: 0,
    series: [{ name: 'percent', unit: '%', points }],
    failures: [],
    maintenance: [],
    ...more,
  }
}

interface GivenChecks {
  checks?: Check[]
  agent?: Partial<AgentDetail>
  me?: Partial<Me>
  samples?: CheckSamples
}

/** A dashboard whose first machine has these checks; tests can change them on the server. */
export async function givenChecks({ checks = [], agent = {}, me = {}, samples }: GivenChecks = {}) {
  const { server, open } = await givenDashboard({ me })
  const state = { checks, samples: samples ?? testSamples([]) }
  const one = () => state.checks[0] ?? testCheck()
  server.on(getAgent, () => answer(getAgent, testDetail(agent)))
  server.on(listAgentChecks, () => answer(listAgentChecks, state.checks))
  server.on(getCheck, () =>
    state.checks.length === 0 ? refuse('not_found', 'This check does not exist.') : answer(getCheck, one()),
  )
  server.on(getCheckSamples, ({ search }) =>
    // The preview requests older means, too; there are none.
    answer(
      getCheckSamples,
      search.get('resolution') === '300' ? { ...testSamples([]), resolution: 300 } : state.samples,
    ),
  )
  server.on(createCheck, () => answer(createCheck, testCheck()))
  server.on(editCheck, ({ body }) => {
    // The form sends the values it was opened with.
    const { modified } = body as { modified: string }
    return modified === one().modified
      ? answer(editCheck, { ...one(), modified: 'm9' })
      : refuse('changed_meanwhile', 'This check was changed by another user. Reload it and try again.')
  })
  server.on(deleteCheck, () => answer(deleteCheck, null))
  server.on(resetCheck, () => answer(resetCheck, one()))
  server.on(resetAllChecks, () => answer(resetAllChecks, { changed: state.checks.length }))
  server.on(runChecks, () => answer(runChecks, null))
  server.on(listScripts, () => answer(listScripts, []))
  return { server, state, open }
}
