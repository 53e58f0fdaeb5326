import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findGateProblem, findHaltReason, refuseStep } from './job-state.ts'
import { chooseNext, orderMachines, splitIntoWaves } from './waves.ts'

const waveSize = fc.oneof(
  fc.record({ count: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ percent: fc.integer({ min: 1, max: 100 }) }),
)
const limit = fc.option(fc.integer({ min: 1, max: 20 }))

test('waves are not empty and contain every machine once', () => {
  fc.assert(
    fc.property(fc.nat(3000), fc.array(waveSize, { maxLength: 6 }), (total, waves) => {
      const sizes = splitIntoWaves(total, waves)
      expect(sizes.every((size) => size > 0)).toBe(true)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(total)
      expect(sizes.length).toBeLessThanOrEqual(waves.length + 1)
    }),
  )
})

test('counts and percentages give the sizes of the waves', () => {
  expect(splitIntoWaves(522, [{ count: 10 }, { percent: 50 }])).toEqual([10, 261, 251])
  expect(splitIntoWaves(3, [{ count: 10 }])).toEqual([3])
  expect(splitIntoWaves(30, [{ percent: 1 }])).toEqual([1, 29])
  expect(splitIntoWaves(7, [])).toEqual([7])
  expect(splitIntoWaves(0, [{ count: 1 }])).toEqual([])
})

test('machines that start never exceed a limit, and fill it as far as machines are there', () => {
  const machines = fc.array(fc.nat(4), { maxLength: 60 })
  fc.assert(
    fc.property(
      fc.record({ max_at_once: limit, max_per_minute: limit, max_per_site: limit }),
      machines,
      machines,
      fc.nat(20),
      (pace, runningSites, sites, startedLastMinute) => {
        const runningPerSite = new Map<number, number>()
        for (const site of runningSites) runningPerSite.set(site, (runningPerSite.get(site) ?? 0) + 1)
        const candidates = sites.map((siteId, i) => ({ agentId: `a${i}`, siteId }))
        const running = runningSites.length
        const chosen = chooseNext(candidates, pace, { running, runningPerSite, startedLastMinute }, 25)
        expect(new Set(chosen).size).toBe(chosen.length)
        if (chosen.length > 0) {
          expect(running + chosen.length).toBeLessThanOrEqual(pace.max_at_once ?? Infinity)
          expect(startedLastMinute + chosen.length).toBeLessThanOrEqual(pace.max_per_minute ?? Infinity)
        }
        for (const site of sites) {
          const started = chosen.filter((one) => one.siteId === site).length
          const before = runningPerSite.get(site) ?? 0
          if (started > 0) expect(before + started).toBeLessThanOrEqual(pace.max_per_site ?? Infinity)
        }
        const isFree = running === 0 && startedLastMinute === 0 && candidates.length > 0
        if (isFree) expect(chosen.length).toBeGreaterThan(0)
      },
    ),
  )
})

test('connected machines come first, in an order that depends on the seed only', () => {
  const machines = Array.from({ length: 40 }, (_, i) => ({ agent_id: `agent${i}`, connected: i % 3 > 0 }))
  const order = orderMachines(machines, 'a')
  expect(order.findIndex((one) => !one.connected)).toBe(order.filter((one) => one.connected).length)
  expect(orderMachines(machines.toReversed(), 'a')).toEqual(order)
  expect(orderMachines(machines, 'b')).not.toEqual(order)
})

test('a job halts exactly when its failures reach a limit', () => {
  const none = { failed: 0, forgiven: 0 }
  const so = (failed: number, forgiven = 0, wave = { size: 10, ...none, failed }) => ({
    failed,
    forgiven,
    wave,
  })
  expect(findHaltReason({ failures: 2, percent: null }, so(1))).toBeUndefined()
  expect(findHaltReason({ failures: 2, percent: null }, so(2))).toBe('2 machines failed.')
  expect(findHaltReason({ failures: 2, percent: null }, so(3, 2))).toBeUndefined()
  expect(findHaltReason({ failures: null, percent: 20 }, so(1))).toBeUndefined()
  expect(findHaltReason({ failures: null, percent: 20 }, so(2))).toBe('2 of 10 machines of this wave failed.')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.nat(20), fc.nat(20), (failures, failed, forgiven) => {
      const halts = findHaltReason({ failures, percent: null }, so(failed, forgiven)) !== undefined
      expect(halts).toBe(Math.max(0, failed - forgiven) >= failures)
    }),
  )
})

test('a gate opens when all of its conditions hold', () => {
  const strict = { success_percent: 98, no_new_alerts: true, check: 'File shares' }
  const good = { succeeded: 50, ended: 51, newAlerts: 0, failingChecks: 0 }
  expect(findGateProblem(strict, good)).toBeUndefined()
  expect(findGateProblem(strict, { ...good, succeeded: 49 })).toMatch('98 % are required')
  expect(findGateProblem(strict, { ...good, newAlerts: 2 })).toBe('2 new alerts opened.')
  expect(findGateProblem(strict, { ...good, failingChecks: 1 })).toMatch('does not pass on 1 machine')
  expect(findGateProblem(strict, { ...good, succeeded: 0, ended: 0 })).toBeUndefined()
  const lax = { success_percent: 0, no_new_alerts: false, check: null }
  fc.assert(
    fc.property(fc.nat(50), fc.nat(50), fc.nat(9), fc.nat(9), (succeeded, more, newAlerts, failingChecks) => {
      const facts = { succeeded, ended: succeeded + more, newAlerts, failingChecks }
      expect(findGateProblem(lax, facts)).toBeUndefined()
    }),
  )
})

test('each step is possible in its states only', () => {
  const counts = { waiting: 3, running: 0, succeeded: 2, failed: 0, skipped: 0 }
  const job = { counts, hasInverse: true }
  expect(refuseStep('resume', { ...job, state: 'halted' })).toBeUndefined()
  expect(refuseStep('resume', { ...job, state: 'running' })).toBe('The job is running.')
  expect(refuseStep('halt', { ...job, state: 'done' })).toBe('The job is done.')
  expect(refuseStep('retry_failed', { ...job, state: 'done' })).toBe('No machine has failed.')
  expect(refuseStep('undo', { ...job, state: 'done', hasInverse: false })).toMatch('no inverse')
})
