import { type AgentDetail, getAgent } from '@muster/contract/api/agents'
import { listAgentChecks } from '@muster/contract/api/checks'
import type { CustomField } from '@muster/contract/api/custom-fields'
import { listScripts, type Script } from '@muster/contract/api/scripts'
import {
  createTask,
  deleteTask,
  editTask,
  getTask,
  getTaskRun,
  listAgentTasks,
  listTaskRuns,
  runTask,
  type Task,
  TASK_DEFAULTS,
  type TaskResult,
  type TaskRunDetail,
} from '@muster/contract/api/tasks'
import type { Me } from '@muster/contract/api/users'
import { answer, refuse } from '../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../dashboard/test-dashboard.ts'

export const AGENT = 'alpha0000000'

/** A task for tests: every night, last run successful. */
export function testTask(more: Partial<Task> = {}, result: Partial<TaskResult> = {}): Task {
  return {
    ...TASK_DEFAULTS,
    id: 1,
    agent_id: AGENT,
    name: 'Nightly',
    task_type: 'daily',
    run_time_date: '2026-01-01T02:00',
    schedule: 'Every day at 02:00',
    check_name: null,
    custom_field_name: null,
    policy: null,
    policy_name: null,
    overridden_by_policy: false,
    actions: [{ type: 'cmd', command: 'true', shell: 'sh', custom_shell: null, timeout: 30 }],
    modified: 'm1',
    ...more,
    task_result: {
      status: 'passing',
      sync_status: 'synced',
      run_status: 'completed',
      retcode: 0,
      stdout: 'all good\n',
      stderr: '',
      execution_time: 1.2,
      last_run: new Date(Date.now() - 30_000).toISOString(),
      more_info: '',
      ...result,
    },
  }
}

export function testField(more: Partial<CustomField>): CustomField {
  return {
    id: 1,
    order: 0,
    model: 'agent',
    type: 'text',
    options: [],
    name: 'Field',
    required: false,
    default_value_string: '',
    default_value_bool: false,
    default_values_multiple: [],
    hide_in_ui: false,
    hide_in_summary: false,
    modified: 'm1',
    ...more,
  }
}

export function testTaskRun(more: Partial<TaskRunDetail> = {}): TaskRunDetail {
  return {
    id: 1,
    state: 'ended',
    trigger: 'schedule',
    status: 'passing',
    planned_at: null,
    started_at: new Date(Date.now() - 30_000).toISOString(),
    ended_at: new Date(Date.now() - 29_000).toISOString(),
    retcode: 0,
    execution_time: 1.2,
    more_info: '',
    missed: 0,
    actions: [
      {
        name: 'true',
        outcome: 'exited',
        reason: null,
        retcode: 0,
        stdout: 'all good\n',
        stderr: '',
        execution_time: 1.2,
      },
    ],
    ...more,
  }
}

interface GivenTasks {
  tasks?: Task[]
  runs?: TaskRunDetail[]
  scripts?: Script[]
  agent?: Partial<AgentDetail>
  me?: Partial<Me>
}

/** A dashboard whose first machine has these tasks; tests can change them on the server. */
export async function givenTasks({
  tasks = [],
  runs = [],
  scripts = [],
  agent = {},
  me = {},
}: GivenTasks = {}) {
  const { server, open } = await givenDashboard({ me })
  const state = { tasks }
  const one = () => state.tasks[0] ?? testTask()
  server.on(getAgent, () => answer(getAgent, testDetail({ timezone: 'Europe/Zurich', ...agent })))
  server.on(listAgentTasks, () => answer(listAgentTasks, state.tasks))
  server.on(getTask, () =>
    state.tasks.length === 0 ? refuse('not_found', 'This task does not exist.') : answer(getTask, one()),
  )
  server.on(createTask, () => answer(createTask, testTask()))
  server.on(editTask, ({ body }) => {
    // The form sends the values it was opened with; the menu sends nothing.
    const { modified, ...change } = body as Partial<Task>
    return modified === undefined || modified === one().modified
      ? answer(editTask, { ...one(), ...change, modified: 'm9' })
      : refuse('changed_meanwhile', '"Nightly" of alpha was changed by bob. Reload it and try again.')
  })
  server.on(deleteTask, () => answer(deleteTask, null))
  server.on(runTask, () => answer(runTask, null))
  server.on(listTaskRuns, () => answer(listTaskRuns, runs))
  server.on(getTaskRun, () => answer(getTaskRun, runs[0] ?? testTaskRun()))
  server.on(listScripts, () => answer(listScripts, scripts))
  server.on(listAgentChecks, () => answer(listAgentChecks, []))
  return { server, state, open }
}
