import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instant, prepareAlerts } from './test-alerts.ts'

/** A machine with a check that depends on the check of a router, which another machine runs every 60 s. */
async function prepare() {
  const prepared = await prepareAlerts()
  const { ctx, machine, check } = prepared
  const router = await check((await machine({ check_interval: 60 })).agent_id)
  const web = await check((await machine({ check_interval: 60 })).agent_id)
  const depend = (id: number, on: number | null) =>
    ctx.db.updateTable('checks').set({ depends_on: on }).where('id', '=', id).execute()
  await depend(web.id, router.id)
  const ofWeb = async () => (await prepared.alerts()).filter(({ check_id }) => check_id === web.id)
  const notifiedOnWeb = async () => {
    await prepared.notified()
    const rows = await ctx.db
      .selectFrom('alert_notices')
      .innerJoin('alerts', 'alerts.id', 'alert_notices.alert_id')
      .select('kind')
      .where('check_id', '=', web.id)
      .orderBy('alert_notices.id')
      .execute()
    return rows.map(({ kind }) => kind)
  }
  return { ...prepared, router, web, depend, ofWeb, notifiedOnWeb }
}

test('spec, dependencies: while a dependency fails its check is not notified, and a remaining problem is notified once', async () => {
  await using prepared = await prepare()
  const { go, report, router, web, ofWeb, notifiedOnWeb, sweep, log } = prepared
  go(100)
  await report(router, [100, 95])
  await report(web, [100, 95])
  await sweep()
  expect(await ofWeb()).toMatchObject([{ state: 'open', hold: 'dependency' }])
  go(160)
  await report(router, [160, 10])
  await sweep()
  expect(await notifiedOnWeb()).toEqual([])
  go(165)
  await report(web, [165, 95])
  await sweep()
  expect(await ofWeb()).toMatchObject([{ state: 'open', hold: null }])
  expect(await notifiedOnWeb()).toEqual(['opened'])
  const [alert] = await ofWeb()
  expect(await log(alert?.id ?? 0)).toEqual(['opened', 'held', 'released'])
  go(200)
  await report(web, [200, 10])
  expect(await notifiedOnWeb()).toEqual(['opened', 'resolved'])
})

test('a problem that ended before the dependency passed is not notified', async () => {
  await using prepared = await prepare()
  const { go, report, router, web, ofWeb, notifiedOnWeb, sweep } = prepared
  go(100)
  await report(router, [100, 95])
  await report(web, [100, 95])
  go(160)
  await report(web, [160, 10])
  await report(router, [160, 10])
  await sweep()
  expect(await ofWeb()).toMatchObject([{ state: 'resolved' }])
  expect(await notifiedOnWeb()).toEqual([])
})

test('a check that fails first waits until its dependency has run', async () => {
  await using prepared = await prepare()
  const { go, report, router, web, ofWeb, notifiedOnWeb, sweep } = prepared
  go(50)
  await report(router, [50, 10])
  go(100)
  await report(web, [100, 95])
  await sweep()
  expect(await notifiedOnWeb()).toEqual([])
  go(110)
  await report(router, [110, 95])
  await sweep()
  expect(await ofWeb()).toMatchObject([{ hold: 'dependency' }])
  go(170)
  await report(web, [170, 10])
  await report(router, [170, 10])
  await sweep()
  expect(await notifiedOnWeb()).toEqual([])

  go(220)
  await report(web, [220, 95])
  go(230)
  await report(router, [230, 10])
  await sweep()
  expect(await notifiedOnWeb()).toEqual(['opened'])
  await report(web, [231, 10])

  // No result of the router arrives, so the alert is notified shortly after its interval.
  go(300)
  await report(web, [300, 95])
  go(369)
  await sweep()
  expect(await notifiedOnWeb()).toEqual(['opened', 'resolved'])
  go(371)
  await sweep()
  expect(await notifiedOnWeb()).toEqual(['opened', 'resolved', 'opened'])
})

test('results of a silent machine and deleted checks hold nothing back', async () => {
  await using prepared = await prepare()
  const { go, report, router, web, ofWeb, notifiedOnWeb, sweep, setAgent, ctx } = prepared
  go(100)
  await report(router, [100, 95])
  await report(web, [100, 95])
  await setAgent(router.agent_id, { connected: 0, last_seen: instant(100) })
  go(2000)
  await setAgent(web.agent_id, { last_seen: instant(2000) })
  await sweep()
  await report(web, [2001, 95])
  go(2002)
  await sweep()
  expect(await ofWeb()).toMatchObject([{ hold: null }])
  expect(await notifiedOnWeb()).toEqual(['opened'])
  await setAgent(router.agent_id, { connected: 1, last_seen: instant(2010) })
  go(2011)
  await sweep()
  expect(await ofWeb()).toMatchObject([{ hold: 'dependency' }])
  await ctx.db.deleteFrom('checks').where('id', '=', router.id).execute()
  await sweep()
  go(2020)
  await report(web, [2020, 95])
  await sweep()
  expect(await ofWeb()).toMatchObject([{ hold: null }])
  expect(await notifiedOnWeb()).toEqual(['opened'])
})

test('a chain of dependencies holds from its first link to its last', async () => {
  await using prepared = await prepare()
  const { go, report, router, web, check, depend, alerts, sweep } = prepared
  const shop = await check(web.agent_id)
  await depend(shop.id, web.id)
  go(100)
  await report(router, [100, 95])
  await report(shop, [100, 95])
  await sweep()
  expect(await alerts()).toMatchObject([
    { check_id: router.id, hold: null },
    { check_id: shop.id, hold: 'dependency' },
  ])
})

// Reports, silence, maintenance and time in any order: nobody is notified that the dependent check fails while the
// server knows that its dependency fails. In the end it is notified or held according to the state, and each notified
// start has one notified end.
type Doing =
  | { kind: 'report'; who: 'web' | 'router'; percent: number }
  | { kind: 'pass'; seconds: number }
  | { kind: 'maintenance'; who: 'web' | 'router'; on: 0 | 1 }
  | { kind: 'sweeps' }
const who = fc.constantFrom('web' as const, 'router' as const)
const doing: fc.Arbitrary<Doing> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('report' as const), who, percent: fc.constantFrom(10, 80, 95) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.constantFrom(1, 6, 61, 130) }),
  },
  fc.record({
    kind: fc.constant('maintenance' as const),
    who,
    on: fc.constantFrom(0 as const, 1 as const),
  }),
  { weight: 3, arbitrary: fc.constant<Doing>({ kind: 'sweeps' }) },
)

test('in every order of reports a dependent alert is held, released and resolved correctly', async () => {
  await using prepared = await prepareAlerts()
  const { ctx, go, machine, check, report, setAgent, sweep, notified } = prepared
  let now = 0
  const runs = Number(process.env['MUSTER_TEST_RUNS'] ?? 60)
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { maxLength: 25 }), async (doings) => {
      now += 100_000
      go(now)
      const seen = { last_seen: instant(now), check_interval: 60 }
      const router = await check((await machine(seen)).agent_id)
      const web = await check((await machine(seen)).agent_id)
      const checks = { web, router }
      await ctx.db.updateTable('checks').set({ depends_on: router.id }).where('id', '=', web.id).execute()
      const percents = { web: 10, router: 10 }
      for (const next of doings) {
        // Each machine has one time per result.
        now += 1
        go(now)
        const failing = percents.router > 70
        const before = await opened(web.id)
        switch (next.kind) {
          case 'report':
            percents[next.who] = next.percent
            await report(checks[next.who], [now, next.percent])
            break
          case 'pass':
            now += next.seconds
            go(now)
            break
          case 'maintenance':
            await setAgent(checks[next.who].agent_id, { maintenance_mode: next.on })
            break
          case 'sweeps':
            await Promise.all([sweep(), sweep()])
        }
        await notified()
        if (failing && percents.router > 70) expect(await opened(web.id)).toBe(before)
      }
      await setAgent(web.agent_id, { maintenance_mode: 0 })
      for (const step of [1, 2, 3]) {
        now += 10
        go(now)
        await sweep()
        if (step < 3) await report(router, [now, percents.router])
        await report(web, [now + 1, percents.web])
        now += 2
        go(now)
        await sweep()
        await notified()
      }
      const alerts = await ctx.db.selectFrom('alerts').selectAll().where('check_id', '=', web.id).execute()
      const open = alerts.filter(({ state }) => state !== 'resolved')
      expect(open).toHaveLength(percents.web > 70 ? 1 : 0)
      for (const { hold, told: worst } of open) {
        if (percents.router > 70) expect(hold).toBe('dependency')
        else expect([hold, worst === null]).toEqual([hold === 'flapping' ? hold : null, hold === 'flapping'])
      }
      for (const { id, state } of alerts) {
        const kinds = await kindsOf(id)
        const count = (kind: string) => kinds.filter((one) => one === kind).length
        expect(count('opened')).toBeLessThanOrEqual(1)
        expect(count('resolved')).toBe(state === 'resolved' ? count('opened') : 0)
      }
    }),
    { numRuns: runs },
  )

  async function kindsOf(alertId: number): Promise<string[]> {
    const rows = await ctx.db
      .selectFrom('alert_notices')
      .select('kind')
      .where('alert_id', '=', alertId)
      .execute()
    return rows.map(({ kind }) => kind)
  }

  async function opened(checkId: number): Promise<number> {
    const rows = await ctx.db
      .selectFrom('alert_notices')
      .innerJoin('alerts', 'alerts.id', 'alert_notices.alert_id')
      .select('alert_notices.id')
      .where('check_id', '=', checkId)
      .where('kind', '=', 'opened')
      .execute()
    return rows.length
  }
})
