import { AlertTemplateForm } from '@muster/contract/api/alert-templates'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { type Context, createContext } from '../../../context.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { createPostgresDatabase, testEngines } from '../../../platform/database/test-engines.ts'
import { createSecrets } from '../../../platform/secrets/secrets.ts'
import { createTestLog } from '../../../testing/test-log.ts'
import { alertChannelsJobs } from '../channels/jobs.ts'
import { createAlertBench, webhookTo } from '../channels/test-alerts.ts'
import { LOOPBACK_CHANNELS, openTestReceiver } from '../channels/test-receiver.ts'
import { lockAlerts, updateAlert } from '../queries.ts'
import { insertTemplate, storeDefault } from '../templates/queries.ts'
import { columnsOf } from '../templates/stored-template.ts'
import { followEscalations } from './follow-escalations.ts'
import { alertEscalationJobs } from './run-escalation.ts'

const ALERTS = 10
const MINUTE_MS = 60_000

describe.each(testEngines)('on $engine', ({ engine }) => {
  test('two processes and a restart run each step once', async () => {
    await using receiver = await openTestReceiver()
    await using database = engine === 'postgres' ? await createPostgresDatabase() : undefined
    const secrets = createSecrets(randomBytes(32))
    let clockMs = Date.parse('2026-11-21T12:00:00.000Z')
    const dataFolder = await mkdtemp(`${tmpdir()}/muster-two-`)
    const open = async (): Promise<Context> => {
      const config = readConfig({
        ...LOOPBACK_CHANNELS,
        MUSTER_DATA: dataFolder,
        ...(database && { DATABASE_URL: database.url }),
      })
      const now = () => new Date(clockMs)
      const ctx = await createContext(config, { log: createTestLog().log, secrets, now })
      ctx.jobs.define([...alertChannelsJobs(ctx), ...alertEscalationJobs(ctx)])
      return ctx
    }
    const first = await open()
    // The embedded database has one server, which still gets everything twice.
    const second = engine === 'postgres' ? await open() : first
    const bench = createAlertBench(first)
    // One message per alert, of none but the chain.
    const hook = await bench.channel(
      { ...webhookTo(receiver.url), body_template: '{"id": {{alert.id}}}' },
      { severities: ['info'] },
    )
    const at = first.now().toISOString()
    const steps = [0, 15].map((after_minutes) => ({
      after_minutes,
      users: [],
      schedules: [],
      channels: [hook.id],
    }))
    const settings = JSON.stringify({ steps, repeat_minutes: 10, repeat_times: 1, mail_channel: null })
    const chain = await first.db
      .insertInto('escalation_chains')
      .values({ name: 'Night', settings, created_at: at, modified: at })
      .returning('id')
      .executeTakeFirstOrThrow()
    const form = AlertTemplateForm.parse({ name: 'All', escalation_chain: chain.id })
    const columns = columnsOf(form, secrets)
    const template = await insertTemplate(first.db, { ...columns, created_at: at, modified: at })
    await storeDefault(first.db, template.id)
    const ids: number[] = []
    for (let index = 0; index < ALERTS; index++) ids.push((await bench.alert()).id)
    // Both change each alert at once, and then both look for due runs.
    const follow = (ctx: Context, id: number) =>
      ctx.transaction(async (tx) => {
        const [row] = await lockAlerts(tx, ctx.engine, [id])
        if (row === undefined) throw new Error('the alert is gone')
        const alert = { ...row, notified: 'error' as const }
        await updateAlert(tx, alert)
        await followEscalations({ ctx, tx }, [alert])
      })
    await Promise.all([first, second].flatMap((ctx) => ids.map((id) => follow(ctx, id))))
    const drain = (...all: Context[]) => Promise.all(all.map((ctx) => ctx.jobs.drain()))
    const countEach = () =>
      ids.map((id) => receiver.requests.filter(({ body }) => body === `{"id": ${id}}`).length)
    await drain(first, second)
    expect(countEach()).toEqual(ids.map(() => 1))
    clockMs += 15 * MINUTE_MS
    await drain(second, first)
    expect(countEach()).toEqual(ids.map(() => 2))
    // The servers are down when the next run is due.
    await first[Symbol.asyncDispose]()
    if (second !== first) await second[Symbol.asyncDispose]()
    clockMs += 45 * MINUTE_MS
    const third = await open()
    await drain(third)
    expect(countEach()).toEqual(ids.map(() => 3))
    clockMs += 600 * MINUTE_MS
    await drain(third)
    expect(countEach()).toEqual(ids.map(() => 3))
    const rows = await third.db.selectFrom('alert_escalations').select('state').execute()
    expect(rows.map(({ state }) => state)).toEqual(ids.map(() => 'done'))
    await third[Symbol.asyncDispose]()
    await rm(dataFolder, { recursive: true, force: true })
  })
})
