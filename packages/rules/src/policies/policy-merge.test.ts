import fc from 'fast-check'
import { expect, test } from 'vitest'
import { POLICY_LEVELS } from './policy-chain.ts'
import { type AppliedPolicy, mergePolicies, type PolicyItem } from './policy-merge.ts'

const items = (...keys: string[]): PolicyItem<string>[] => keys.map((key) => ({ key, value: `${key}!` }))
const applied = (
  policy: number,
  level: AppliedPolicy<string>['level'],
  keys: string[],
  enforced = false,
): AppliedPolicy<string> => ({ policy, level, enforced, items: items(...keys) })
const summarize = (merged: ReturnType<typeof mergePolicies<string>>) =>
  merged.map(({ key, source, overrode }) => [
    key,
    source.own ? 'own' : source.policy,
    ...overrode.map((loser) => `${loser.source.own ? 'own' : loser.source.policy} ${loser.lost}`),
  ])

test("a machine's own items override policies, and enforced policies override them", () => {
  const policies = [applied(1, 'site', ['cpu', 'disk']), applied(2, 'default', ['disk', 'ping'], true)]
  expect(summarize(mergePolicies(items('cpu', 'disk', 'tcp'), policies))).toEqual([
    ['disk', 2, 'own enforced', '1 enforced'],
    ['ping', 2],
    ['cpu', 'own', '1 own'],
    ['tcp', 'own'],
  ])
})

test('the nearer of two policies wins, and the earlier one at one target', () => {
  const policies = [
    applied(1, 'agent', ['a']),
    applied(2, 'client', ['a', 'b']),
    applied(3, 'client', ['a', 'b']),
  ]
  expect(summarize(mergePolicies([], policies))).toEqual([
    ['a', 1, '2 nearer', '3 nearer'],
    ['b', 2, '3 earlier'],
  ])
})

const someKeys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'))
const somePolicies = fc
  .array(fc.record({ level: fc.constantFrom(...POLICY_LEVELS), keys: someKeys, enforced: fc.boolean() }), {
    maxLength: 8,
  })
  .map((some) =>
    some
      .toSorted((a, b) => POLICY_LEVELS.indexOf(a.level) - POLICY_LEVELS.indexOf(b.level))
      .map(({ level, keys, enforced }, index) => applied(index, level, keys, enforced)),
  )

test('no item is lost or repeated, and the winner follows the rule', () => {
  fc.assert(
    fc.property(someKeys, somePolicies, (ownKeys, policies) => {
      const own: string[] = ownKeys
      const merged = mergePolicies(items(...own), policies)
      const keys = merged.map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
      const given = [...own, ...policies.flatMap((policy) => policy.items.map(({ key }) => key))]
      expect(merged.reduce((sum, { overrode }) => sum + 1 + overrode.length, 0)).toBe(given.length)
      for (const { key, source, overrode } of merged) {
        const having = policies.filter((policy) => policy.items.some((item) => item.key === key))
        const first = having.find(({ enforced }) => enforced)
        if (first !== undefined) expect(source).toMatchObject({ own: false, policy: first.policy })
        else if (own.includes(key)) expect(source).toEqual({ own: true })
        else expect(source).toMatchObject({ own: false, policy: having[0]?.policy })
        if (source.own) expect(overrode.map(({ lost }) => lost)).toEqual(overrode.map(() => 'own'))
      }
    }),
  )
})
