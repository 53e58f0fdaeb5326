import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { type Context, createContext } from '../../context.ts'
import { readConfig } from '../../platform/config/config.ts'
import { createPostgresDatabase } from '../../platform/database/test-engines.ts'
import { createSecrets } from '../../platform/secrets/secrets.ts'
import { createTestLog } from '../../test-log.ts'
import { alertChannelsJobs } from './jobs.ts'
import { createAlertBench, webhookTo } from './test-alerts.ts'
import { openTestReceiver } from './test-receiver.ts'

const ALERTS = 60

// Two processes need a database that two may share.
test.runIf(process.env['MUSTER_TEST_POSTGRES'] !== undefined)(
  'two processes send each notice once, while one of them dies in the middle of sending',
  async () => {
    await using receiver = await openTestReceiver()
    await using database = await createPostgresDatabase()
    const secrets = createSecrets(randomBytes(32))
    let clockMs = Date.parse('2026-11-21T12:00:00.000Z')
    const dataFolder = await mkdtemp(`${tmpdir()}/muster-two-`)
    const open = async (): Promise<Context> => {
      const config = readConfig({ MUSTER_DATA: dataFolder, DATABASE_URL: database.url })
      const ctx = await createContext(config, {
        log: createTestLog().log,
        secrets,
        now: () => new Date(clockMs),
      })
      ctx.jobs.define(alertChannelsJobs(ctx))
      return ctx
    }
    const [dying, living] = [await open(), await open()]
    const bench = createAlertBench(living)
    // A message for each: digests would leave too little to send.
    const template = '{"id": {{alert.id}}, "delivery": "{{delivery}}"}'
    await bench.channel({ ...webhookTo(receiver.url), kind: 'webhook', body_template: template } as never)
    await bench.channel({
      ...webhookTo(`${receiver.url}2`),
      kind: 'webhook',
      body_template: template,
    } as never)
    for (let index = 0; index < ALERTS; index++) await bench.tell(await bench.alert(), 'opened')

    // The first dies with a request on its way: the receiver has it, and nobody notes that.
    const never = Promise.withResolvers<void>()
    receiver.answer = { hold: never.promise }
    const drained = dying.jobs.drain().catch(() => undefined)
    await expect.poll(() => receiver.requests.length, { timeout: 10_000 }).toBe(2)
    await dying.db.destroy()
    receiver.answer = {}
    never.resolve()
    await drained

    for (let minute = 0; minute < 5; minute++) {
      await living.jobs.drain()
      clockMs += 61_000
    }
    const sent = receiver.requests.map(({ path, body }) => {
      const { id, delivery } = JSON.parse(body) as { id: number; delivery: string }
      return { path, id, delivery }
    })
    const byDelivery = Map.groupBy(sent, ({ delivery }) => delivery)
    expect(byDelivery.size).toBe(2 * ALERTS)
    expect(new Set(sent.map(({ path, id }) => `${path} ${id}`)).size).toBe(2 * ALERTS)
    // Twice at most what was on its way: one message on each channel.
    expect(sent.length).toBeLessThanOrEqual(2 * ALERTS + 2)
    expect(new Set((await bench.notices()).map(({ state }) => state))).toEqual(new Set(['sent']))
    await living[Symbol.asyncDispose]()
    await rm(dataFolder, { recursive: true, force: true })
  },
  60_000,
)

test.runIf(process.env['MUSTER_TEST_POSTGRES'] !== undefined)(
  'two processes that run side by side send each notice once, and not once more',
  async () => {
    await using receiver = await openTestReceiver()
    await using database = await createPostgresDatabase()
    const secrets = createSecrets(randomBytes(32))
    const dataFolder = await mkdtemp(`${tmpdir()}/muster-two-`)
    const open = async (): Promise<Context> => {
      const config = readConfig({ MUSTER_DATA: dataFolder, DATABASE_URL: database.url })
      const ctx = await createContext(config, { log: createTestLog().log, secrets })
      ctx.jobs.define(alertChannelsJobs(ctx))
      return ctx
    }
    const both = [await open(), await open()]
    const [first, second] = both.map(createAlertBench)
    await first?.channel({ kind: 'pagerduty', routing_key: 'r', url: receiver.url })
    for (const ctx of both) await ctx.jobs.start()
    for (let index = 0; index < 20; index++) {
      for (const bench of [first, second])
        if (bench !== undefined)
          await bench.tell(
            await bench.alert({
              cause: `${index} ${bench === first}`,
              open_cause: `${index} ${bench === first}`,
            }),
            'opened',
          )
    }
    await expect.poll(() => receiver.requests.length, { timeout: 30_000 }).toBe(40)
    for (const ctx of both) await ctx[Symbol.asyncDispose]()
    const keys = receiver.requests.map(({ body }) => (JSON.parse(body) as { dedup_key: string }).dedup_key)
    expect(keys).toHaveLength(40)
    expect(new Set(keys).size).toBe(40)
    await rm(dataFolder, { recursive: true, force: true })
  },
  60_000,
)
