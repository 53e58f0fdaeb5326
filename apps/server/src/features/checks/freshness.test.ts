import type { Measured } from '@muster/contract/agent/checks'
import { getAgent } from '@muster/contract/api/agents'
import { listPolicyChecks } from '@muster/contract/api/policies'
import { getCheck } from '@muster/contract/api/checks'
import type { Event } from '@muster/contract/events'
import { expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { checkOf, contentOf, CPU, PING, prepareFleet } from '../policies/test-policies.ts'
import { emitAgedResults } from './aged-results.ts'
import { storeResults } from './store-results.ts'

const START = Date.parse('2026-03-01T12:00:00.000Z')

test.each(testEngines)(
  '$engine: no result is pending, a recent pass passes, and one older than two intervals is old',
  async ({ open }) => {
    await using fleet = await prepareFleet(await open<Database>())
    const { server, root, pc, add } = fleet
    const { ctx } = server
    const go = (seconds: number) => server.clock.freeze(new Date(START + seconds * 1000).toISOString())
    go(0)
    // The machine checks every 120 seconds, the second check once an hour.
    const policy = await add({
      name: 'Base',
      targets: [{ level: 'agent', id: pc.agent_id }],
      content: contentOf([checkOf(CPU), { ...checkOf(PING), run_interval: 3600 }]),
    })
    const checks = await ctx.db
      .selectFrom('checks')
      .select(['id', 'check_type', 'revision'])
      .where('agent_id', '=', pc.agent_id)
      .orderBy('id')
      .execute()
    const events: Event[] = []
    ctx.onEvent((event) => void events.push(event))
    const rowChanges = () =>
      events.splice(0).filter(({ type, ids }) => type === 'agent.changed' && ids.includes(pc.agent_id)).length
    const report = (index: 0 | 1, measured: Measured) =>
      ctx.transaction((tx, emit) => {
        const { id, revision } = checks[index]!
        const at = ctx.now().toISOString()
        const results = [{ check_id: id, revision, at, measured }]
        return storeResults(tx, emit, ctx, [{ agentId: pc.agent_id, results }])
      })
    const passes = () => report(0, { check_type: 'cpuload', percent: 10 })
    const counts = async () => (await root.call(getAgent, { params: { agent_id: pc.agent_id } })).body.checks
    const ofPolicy = async () =>
      (await root.call(listPolicyChecks, { params: { id: policy.id } })).body.map((one) => one.counts)
    let agedUntil = 0
    const findAged = async () => {
      agedUntil = await emitAgedResults(ctx, agedUntil, new AbortController().signal)
    }

    expect(await counts()).toMatchObject({ total: 2, passing: 0, old: 0, pending: 2 })
    await passes()
    await report(1, { check_type: 'ping', sent: 4, received: 4, ms: 1, output: '' })
    expect(await counts()).toMatchObject({ passing: 2, old: 0, old_since: null, pending: 0 })
    const { body } = await root.call(getCheck, { params: { id: checks[0]!.id } })
    expect(body.check_result.fresh_until).toBe(new Date(START + 240_000).toISOString())

    go(240)
    expect(await counts()).toMatchObject({ passing: 2, old: 0 })
    rowChanges()
    await findAged()
    expect(rowChanges()).toBe(0)

    go(250)
    await findAged()
    expect(rowChanges()).toBe(1)
    await findAged()
    expect(rowChanges()).toBe(0)
    expect(await counts()).toMatchObject({
      total: 2,
      passing: 1,
      old: 1,
      old_since: new Date(START).toISOString(),
    })
    expect(await ofPolicy()).toMatchObject([
      { passing: 0, old: 1, pending: 0 },
      { passing: 1, old: 0, pending: 0 },
    ])

    // The next pass changes the row, although the check passed before.
    await passes()
    expect(rowChanges()).toBe(1)
    expect(await counts()).toMatchObject({ passing: 2, old: 0, old_since: null })
    go(300)
    await passes()
    expect(rowChanges()).toBe(0)

    // A failure stays: nothing reports its end.
    go(310)
    await report(0, { check_type: 'cpuload', percent: 99 })
    expect(await counts()).toMatchObject({ failing: 1, passing: 1, old: 0 })
    go(86_400)
    expect(await counts()).toMatchObject({ failing: 1, passing: 0, old: 1 })
  },
)
