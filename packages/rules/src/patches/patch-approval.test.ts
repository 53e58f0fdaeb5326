import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isNamed, judgePatch, PATCH_CLASSES, type PatchApproval, type RatedPatch } from './patch-approval.ts'
import { describeApproval, describeRing } from './patch-text.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 10, 25)
const manual = { action: 'manual', after_days: 0 } as const

function approvalOf(parts: Partial<PatchApproval>): PatchApproval {
  return {
    critical: manual,
    important: manual,
    moderate: manual,
    low: manual,
    security: manual,
    other: manual,
    categories: [],
    ignore: [],
    ...parts,
  }
}

const patchOf = (more: Partial<RatedPatch> = {}): RatedPatch => ({
  guid: 'openssl',
  kb: '',
  title: 'openssl',
  severity: '',
  security: false,
  categories: [],
  ...more,
})

const seen = (days: number, before?: { succeededMs: number | undefined; failed: number }) => ({
  firstSeenMs: NOW - days * DAY_MS,
  nowMs: NOW,
  before,
})

test('critical patches are approved at once, others after a week, and the rest by hand', () => {
  const approval = approvalOf({
    critical: { action: 'approve', after_days: 0 },
    other: { action: 'approve', after_days: 7 },
    low: { action: 'ignore', after_days: 0 },
  })
  const judge = (patch: Partial<RatedPatch>, days: number) =>
    judgePatch(patchOf(patch), { approval }, seen(days))
  expect(judge({ severity: 'Critical' }, 0)).toMatchObject({ decision: 'approve', why: 'critical, at once' })
  expect(judge({}, 6)).toEqual({ decision: 'wait', atMs: NOW + DAY_MS, why: 'other, after 7 days' })
  expect(judge({}, 7).decision).toBe('approve')
  expect(judge({ severity: 'Low' }, 99).decision).toBe('ignore')
  expect(judge({ security: true }, 99).decision).toBe('manual')
})

test('a category comes before the severity, and the list of ignored patches before both', () => {
  const approval = approvalOf({
    critical: { action: 'approve', after_days: 0 },
    categories: [{ category: 'Drivers', action: 'manual', after_days: 0 }],
    ignore: ['KB5031354', '*preview*'],
  })
  const judge = (patch: Partial<RatedPatch>) =>
    judgePatch(patchOf({ severity: 'Critical', ...patch }), { approval }, seen(1)).decision
  expect(judge({})).toBe('approve')
  expect(judge({ categories: ['drivers'] })).toBe('manual')
  expect(judge({ kb: 'kb5031354' })).toBe('ignore')
  expect(judge({ title: '2026-11 Cumulative Preview Update' })).toBe('ignore')
})

test('a ring waits for a success in the ring before, and a failure there stops the patch', () => {
  const approval = approvalOf({ other: { action: 'approve', after_days: 2 } })
  const ring = { ring: 2, delay_days: 3, after_ring: true }
  const judge = (before?: { succeededMs: number | undefined; failed: number }) =>
    judgePatch(patchOf(), { approval, ring }, seen(5, before))
  expect(judge()).toEqual({ decision: 'wait', why: 'waits for an installation in ring 1' })
  expect(judge({ succeededMs: NOW - 2 * DAY_MS, failed: 0 })).toMatchObject({
    decision: 'wait',
    atMs: NOW + DAY_MS,
  })
  expect(judge({ succeededMs: NOW - 3 * DAY_MS, failed: 0 }).decision).toBe('approve')
  expect(judge({ succeededMs: NOW - 3 * DAY_MS, failed: 2 })).toEqual({
    decision: 'wait',
    why: 'failed on 2 machines of ring 1',
  })
  const later = judgePatch(patchOf(), { approval, ring: { ...ring, after_ring: false } }, seen(4))
  expect(later).toMatchObject({ decision: 'wait', atMs: NOW + DAY_MS })
})

const action = fc.constantFrom('approve', 'manual', 'ignore')
const rule = fc.record({ action, after_days: fc.nat(30) })
const patch = fc.record({
  guid: fc.string({ minLength: 1, maxLength: 8 }),
  kb: fc.string({ maxLength: 8 }),
  title: fc.string({ maxLength: 12 }),
  severity: fc.constantFrom('Critical', 'Important', 'Moderate', 'Low', ''),
  security: fc.boolean(),
  categories: fc.array(fc.constantFrom('Drivers', 'Tools'), { maxLength: 2 }),
})
const approvals = fc.record({
  ...(Object.fromEntries(PATCH_CLASSES.map((name) => [name, rule])) as Record<
    (typeof PATCH_CLASSES)[number],
    typeof rule
  >),
  categories: fc.array(fc.record({ action, after_days: fc.nat(30), category: fc.constant('Drivers') }), {
    maxLength: 1,
  }),
  ignore: fc.array(fc.string({ minLength: 1, maxLength: 5 }), { maxLength: 3 }),
})
const rings = fc.record({
  ring: fc.integer({ min: 1, max: 4 }),
  delay_days: fc.nat(20),
  after_ring: fc.boolean(),
})
const results = fc.option(
  fc.record({ succeededMs: fc.option(fc.nat(NOW), { nil: undefined }), failed: fc.nat(2) }),
  { nil: undefined },
)

test('a patch is approved exactly when its time has come, never before the age of its rule, and stays so', () => {
  fc.assert(
    fc.property(patch, approvals, rings, results, fc.nat(40), (one, approval, ring, before, days) => {
      const first = judgePatch(one, { approval, ring }, seen(days, before))
      const { decision, atMs } = first
      if (atMs !== undefined) {
        expect(decision).toBe(atMs <= NOW ? 'approve' : 'wait')
        const at = (nowMs: number) =>
          judgePatch(one, { approval, ring }, { firstSeenMs: NOW - days * DAY_MS, nowMs, before }).decision
        expect(at(atMs)).toBe('approve')
        expect(at(atMs - 1)).toBe('wait')
      } else expect(decision).not.toBe('approve')
      if (decision === 'approve' && ring.after_ring && ring.ring > 1) {
        expect(before?.failed).toBe(0)
        expect(before?.succeededMs).toBeLessThanOrEqual(NOW - ring.delay_days * DAY_MS)
      }
      if (approval.ignore.some((pattern) => isNamed(one, pattern))) expect(decision).toBe('ignore')
    }),
  )
})

test('a pattern with * matches as a regular expression would', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.'), maxLength: 8 })
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 }), text, (title, pattern) => {
      const source = pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')
      const expected = /[^*]/.test(pattern) && new RegExp(`^(?:${source})$`, 's').test(title)
      expect(isNamed(patchOf({ guid: '', title }), pattern)).toBe(expected)
    }),
  )
})

test('approval and rings are described as words', () => {
  const approval = approvalOf({
    critical: { action: 'approve', after_days: 0 },
    important: { action: 'approve', after_days: 7 },
    security: { action: 'approve', after_days: 7 },
    low: { action: 'ignore', after_days: 0 },
    ignore: ['KB1'],
  })
  expect(describeApproval(approval)).toBe(
    'Approve critical at once, important and security after 7 days; ignore low; ignore 1 named patch',
  )
  expect(describeApproval(approvalOf({}))).toBe('Approve patches manually')
  expect(describeRing({ ring: 2, delay_days: 7, after_ring: true })).toBe(
    'Ring 2, 7 days after a success in ring 1',
  )
})
