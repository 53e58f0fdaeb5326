import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Database } from '../../platform/database/database.ts'
import { testEngines } from '../../platform/database/test-engines.ts'
import { checksOf, KEYS, LEVELS, type Slot } from './test-policy-model.ts'
import { type Doing, prepareWorld } from './test-policy-world.ts'

const nth = fc.nat({ max: 3 })
const on = fc.boolean()
const level = fc.constantFrom(...LEVELS)
const below = fc.constantFrom(...LEVELS.filter((one) => one !== 'default'))
const of = <Kind extends Doing['kind']>(kind: Kind) => fc.constant(kind)
const slot = fc.constantFrom<Slot>(null, null, 'server', 'workstation')
const doing: fc.Arbitrary<Doing> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      kind: of('add'),
      keys: fc.subarray([...KEYS], { minLength: 1 }),
      search: fc.constantFrom('', '', 'pc', 'srv'),
      enforced: on,
      active: on,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: of('list'),
      level,
      entries: fc.uniqueArray(fc.record({ nth, slot }), { selector: (one) => one.nth, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: of('exclude'), nth, levels: fc.uniqueArray(below, { maxLength: 2 }) }),
  },
  fc.record({ kind: fc.constantFrom('enforce' as const, 'activate' as const), nth, on }),
  { weight: 3, arbitrary: fc.record({ kind: of('block'), level: below, on }) },
  fc.record({
    kind: of('move'),
    machine: fc.constantFrom('pc' as const, 'srv' as const),
    site: fc.constantFrom('a1' as const, 'a2' as const, 'b1' as const),
  }),
  fc.record({ kind: of('delete'), nth }),
)
/** Assigned at the start, so that most of the following steps change machines. */
const FIRST: Doing[] = [
  { kind: 'add', keys: ['X', 'Y'], search: '', enforced: false, active: true },
  { kind: 'add', keys: ['Y'], search: '', enforced: true, active: true },
  { kind: 'add', keys: ['Y', 'Z'], search: '', enforced: false, active: true },
  { kind: 'list', level: 'default', entries: [{ nth: 0, slot: null }] },
  { kind: 'list', level: 'A', entries: [2, 0].map((nth) => ({ nth, slot: null })) },
  { kind: 'list', level: 'a1', entries: [{ nth: 1, slot: 'server' }] },
]

describe.each(testEngines)('on $engine', ({ open }) => {
  test('spec, policies: after any sequence of changes machines match a plain model', async () => {
    await using database = await open<Database>()
    await using world = await prepareWorld(database)
    await fc.assert(
      fc.asyncProperty(fc.array(doing, { maxLength: 15 }), async (doings) => {
        const model = await world.reset()
        for (const next of [...FIRST, ...doings]) {
          await world.act(model, next)
          const given = { pc: await world.checks('pc'), srv: await world.checks('srv') }
          expect(given).toEqual({ pc: checksOf(model, 'pc'), srv: checksOf(model, 'srv') })
        }
      }),
      { numRuns: Number(process.env['MUSTER_TEST_RUNS'] ?? 10) },
    )
  })
})
