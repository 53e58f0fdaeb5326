import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { type Context, createContext } from '../../../context.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { createPostgresDatabase, testEngines } from '../../../platform/database/test-engines.ts'
import { createSecrets } from '../../../platform/secrets/secrets.ts'
import { createTestLog } from '../../../testing/test-log.ts'
import { createAlertBench } from '../channels/test-alerts.ts'
import { LOOPBACK_CHANNELS, openTestReceiver } from '../channels/test-receiver.ts'
import { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { insertTemplate, storeDefault } from './queries.ts'
import { alertTemplatesJobs } from './jobs.ts'
import { followTemplates } from './plan-actions.ts'
import { columnsOf } from './stored-template.ts'

const ALERTS = 20

describe.each(testEngines)('on $engine', ({ engine }) => {
  test('concurrent processes run each action once, the resolved one after the other', async () => {
    await using receiver = await openTestReceiver()
    await using database = engine === 'postgres' ? await createPostgresDatabase() : undefined
    const secrets = createSecrets(randomBytes(32))
    const dataFolder = await mkdtemp(`${tmpdir()}/muster-two-`)
    const open = async (): Promise<Context> => {
      const config = readConfig({
        ...LOOPBACK_CHANNELS,
        MUSTER_DATA: dataFolder,
        ...(database && { DATABASE_URL: database.url }),
      })
      const ctx = await createContext(config, { log: createTestLog().log, secrets })
      ctx.jobs.define(alertTemplatesJobs(ctx, { deliver: async () => false }))
      return ctx
    }
    const first = await open()
    // The embedded database has one server, which still receives everything twice.
    const second = engine === 'postgres' ? await open() : first
    const both = [first, second]
    const processes = new Set(both)
    const bench = createAlertBench(first)
    const rest = { url: receiver.url, method: 'POST', headers: [], secret: '', body_template: '' } as const
    const form = AlertTemplateForm.parse({
      name: 'Everything',
      action_type: 'rest',
      action_rest: rest,
      resolved_action_type: 'rest',
      resolved_action_rest: { ...rest, url: `${receiver.url}/over` },
    })
    const at = first.now().toISOString()
    const template = await insertTemplate(first.db, {
      ...columnsOf(form, secrets),
      created_at: at,
      modified: at,
    })
    await storeDefault(first.db, template.id)
    const alerts: { id: number }[] = []
    for (let index = 0; index < ALERTS; index++)
      alerts.push(
        await bench.alert({ alert_type: 'availability', cause: `${index}`, open_cause: `${index}` }),
      )
    for (const ctx of processes) await ctx.jobs.start()
    // Both report the same of each alert, like two sweeps.
    await Promise.all(
      both.flatMap((ctx) =>
        alerts.map(({ id }) =>
          ctx.transaction((tx, emit) =>
            followTemplates({ ctx, tx, emit }, [{ alertId: id, notices: ['opened'] }]),
          ),
        ),
      ),
    )
    for (const { id } of alerts)
      await second.transaction((tx, emit) =>
        followTemplates({ ctx: second, tx, emit }, [{ alertId: id, notices: ['resolved'] }]),
      )
    const ended = () =>
      first.db
        .selectFrom('alert_actions')
        .select(['id', 'kind', 'state'])
        .where('state', '=', 'done')
        .execute()
    await expect.poll(async () => (await ended()).length).toBe(2 * ALERTS)
    for (const ctx of processes) await ctx[Symbol.asyncDispose]()
    const deliveries = receiver.requests.map(({ headers }) => String(headers['muster-delivery']))
    expect(deliveries).toHaveLength(2 * ALERTS)
    expect(new Set(deliveries).size).toBe(2 * ALERTS)
    for (const { id } of alerts) {
      const paths = receiver.requests
        .filter(({ body }) => (JSON.parse(body) as { alert: { id: number } }).alert.id === id)
        .map(({ path }) => path)
      expect(paths).toEqual(['/hook', '/hook/over'])
    }
    await rm(dataFolder, { recursive: true, force: true })
  })
})
