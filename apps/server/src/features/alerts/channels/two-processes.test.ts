import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { type Context, createContext } from '../../../context.ts'
import { readConfig } from '../../../platform/config/config.ts'
import { createPostgresDatabase, testEngines } from '../../../platform/database/test-engines.ts'
import { createSecrets } from '../../../platform/secrets/secrets.ts'
import { createTestLog } from '../../../testing/test-log.ts'
import { alertChannelsJobs } from './jobs.ts'
import { createAlertBench, webhookTo } from './test-alerts.ts'
import { LOOPBACK_CHANNELS, openTestReceiver } from './test-receiver.ts'

const ALERTS = 60

describe.each(testEngines)('on $engine', ({ engine }) => {
  test('spec, delivery: a restart sends each notice exactly once', async () => {
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
      const ctx = await createContext(config, {
        log: createTestLog().log,
        secrets,
        now: () => new Date(clockMs),
      })
      ctx.jobs.define(alertChannelsJobs(ctx))
      return ctx
    }
    const dying = await open()
    // Two processes may share one PostgreSQL. With SQLite the next one starts after the first.
    const beside = engine === 'postgres' ? await open() : undefined
    const setUp = createAlertBench(beside ?? dying)
    // One message per alert: digests would leave too little to send.
    const template = '{"id": {{alert.id}}, "delivery": "{{delivery}}"}'
    await setUp.channel({ ...webhookTo(receiver.url), body_template: template })
    await setUp.channel({
      ...webhookTo(`${receiver.url}2`),
      body_template: template,
    })
    for (let index = 0; index < ALERTS; index++) await setUp.notify(await setUp.alert(), 'opened')

    // The first process dies with a request in flight: the receiver has it, but no outcome is recorded.
    const never = Promise.withResolvers<void>()
    receiver.answer = { hold: never.promise }
    const drained = dying.jobs.drain().catch(() => undefined)
    await expect.poll(() => receiver.requests.length).toBe(2)
    await dying.db.destroy()
    receiver.answer = {}
    never.resolve()
    await drained
    await dying[Symbol.asyncDispose]()
    const living = beside ?? (await open())

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
    // Only the messages in flight may arrive twice: one per channel.
    expect(sent.length).toBeLessThanOrEqual(2 * ALERTS + 2)
    expect(new Set((await createAlertBench(living).notices()).map(({ state }) => state))).toEqual(
      new Set(['sent']),
    )
    await living[Symbol.asyncDispose]()
    await rm(dataFolder, { recursive: true, force: true })
  })
})

if (testEngines.some(({ engine }) => engine === 'postgres'))
  test('two concurrent processes send each notice once', async () => {
    await using receiver = await openTestReceiver()
    await using database = await createPostgresDatabase()
    const secrets = createSecrets(randomBytes(32))
    const dataFolder = await mkdtemp(`${tmpdir()}/muster-two-`)
    const open = async (): Promise<Context> => {
      const config = readConfig({ ...LOOPBACK_CHANNELS, MUSTER_DATA: dataFolder, DATABASE_URL: database.url })
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
          await bench.notify(
            await bench.alert({
              cause: `${index} ${bench === first}`,
              open_cause: `${index} ${bench === first}`,
            }),
            'opened',
          )
    }
    await expect.poll(() => receiver.requests.length).toBe(40)
    for (const ctx of both) await ctx[Symbol.asyncDispose]()
    const keys = receiver.requests.map(({ body }) => (JSON.parse(body) as { dedup_key: string }).dedup_key)
    expect(keys).toHaveLength(40)
    expect(new Set(keys).size).toBe(40)
    await rm(dataFolder, { recursive: true, force: true })
  })
