import { listClients } from '@muster/contract/api/clients'
import { createCustomField } from '@muster/contract/api/custom-fields'
import { createTask } from '@muster/contract/api/tasks'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { createTestServer } from '../../testing/test-server.ts'
import { changeClient } from '../clients/write-client.ts'
import { lockFieldOwners, type ReportedTask, storeTaskReports } from './store-task-reports.ts'

describe.each(testEngines)('on $engine', ({ open }) => {
  test('concurrent changes of fields of the same clients do not deadlock', async () => {
    await using database = await open<Database>()
    await using server = await createTestServer({ overrides: { database } })
    const { ctx, given } = server
    const ada = await given.user({ superuser: true, username: 'ada' })
    const root = server.as(ada)
    const body = { model: 'client' as const, type: 'text' as const, name: 'Found' }
    const { body: field } = await root.call(createCustomField, { body })
    const tasks: { agentId: string; taskId: number; clientId: number }[] = []
    for (const name of ['Acme', 'Beta', 'Gamma']) {
      const client = await given.client({ name })
      const site = await given.site({ client_id: client.id, name: 'Main' })
      const { agent_id } = await given.agent({ site_id: site.id })
      const { body: task } = await root.call(createTask, {
        body: {
          agent: agent_id,
          name: 'Look',
          task_type: 'manual',
          actions: [{ type: 'cmd', shell: 'sh', command: 'echo {{client.Found}}' }],
          custom_field: field.id,
        },
      })
      tasks.push({ agentId: agent_id, taskId: task.id, clientId: client.id })
    }
    let count = 0
    const reportOf = ({ agentId, taskId }: (typeof tasks)[number]): ReportedTask => {
      count += 1
      const at = ctx.now().toISOString()
      const head = { task_id: taskId, run_id: `run-number-${count}`, trigger: 'manual' as const }
      const action = { name: 'look', outcome: 'exited' as const, reason: null, retcode: 0, stderr: '' }
      const actions = [{ ...action, stdout: `${count}`, execution_time: 1 }]
      const times = { planned_at: null, started_at: at, ended_at: at }
      return { agentId, report: { kind: 'task-result', ...head, ...times, reason: null, actions } }
    }
    const store = (reports: ReportedTask[]) =>
      ctx.transaction(async (tx, emit) => {
        await lockFieldOwners(tx, reports)
        await storeTaskReports({ ctx, tx, emit }, reports)
      })
    const caller = { userId: ada.id, username: 'ada', name: null, isSuperuser: true, source: '' }
    const byHand = (id: number, value: string) =>
      changeClient(
        ctx,
        { ...caller, permissions: new Set(), session: undefined, scope: { all: true } },
        { id, values: [{ field: field.id, string_value: value }] },
      )
    for (let round = 0; round < 15; round += 1) {
      await Promise.all([
        store(tasks.map(reportOf)),
        store(tasks.toReversed().map(reportOf)),
        ...tasks.map(({ clientId }) => byHand(clientId, `by hand ${round}`)),
      ])
    }
    const { body: clients } = await root.call(listClients, {})
    expect(clients).toHaveLength(3)
    for (const { custom_fields } of clients) {
      expect(custom_fields).toMatchObject([
        { field: field.id, value: expect.stringMatching(/^(by hand )?\d+$/) },
      ])
    }
  })
})
