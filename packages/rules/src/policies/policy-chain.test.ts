import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileTarget, targetMachine } from '../agents/machine-target.ts'
import {
  type ChainPolicy,
  compilePolicyChain,
  type ChainMachine,
  type PolicyAssignment,
  type PolicyOutcome,
  POLICY_LEVELS,
} from './policy-chain.ts'

const ZURICH = targetMachine({
  agent_id: 'PC12PC12',
  hostname: 'PC-12',
  client_name: 'Acme',
  site_name: 'Zürich',
  description: '',
  plat: 'linux',
  goarch: 'amd64',
  monitoring_type: 'workstation',
  version: '0.1.0',
  operating_system: 'Debian 13',
  public_ip: '',
  local_ips: '',
  cpu_model: [],
  graphics: '',
  make_model: '',
  physical_disks: [],
  serial_number: '',
  ram_bytes: 0,
  custom_fields: [],
  tags: [],
})
const machine = (change: Partial<ChainMachine> = {}): ChainMachine => ({
  agent_id: 'PC12PC12',
  site_id: 3,
  client_id: 2,
  monitoring_type: 'workstation',
  blocks: { agent: false, site: false, client: false },
  target: () => ZURICH,
  ...change,
})
const policy = (id: number, change: Partial<ChainPolicy> = {}): ChainPolicy => ({
  id,
  active: true,
  excluded_agents: [],
  excluded_sites: [],
  excluded_clients: [],
  ...change,
})
const assignment = (policyId: number, more: object, position = 0): PolicyAssignment =>
  // Built in parts, checked by the tests themselves.
  ({ policy: policyId, position, ...more }) as PolicyAssignment
const DEFAULT = { level: 'default', monitoring_type: null }
const CLIENT = { level: 'client', id: 2, monitoring_type: null }
const SITE = { level: 'site', id: 3, monitoring_type: null }
const SEARCH = { level: 'search', search: 'Zürich pc' }
const AGENT = { level: 'agent', id: 'PC12PC12' }
const ALL = [DEFAULT, CLIENT, SITE, SEARCH, AGENT]

function chainOf(
  assignments: PolicyAssignment[],
  options: { policies?: ChainPolicy[]; on?: ChainMachine } = {},
) {
  const policies =
    options.policies ?? [...new Set(assignments.map((one) => one.policy))].map((id) => policy(id))
  const chain = compilePolicyChain(policies, assignments, compileTarget)(options.on ?? machine())
  return chain.map((link) => [link.policy, link.assignment.level, link.outcome] as const)
}

test('policies apply from the nearest assignment to the furthest', () => {
  expect(chainOf(ALL.map((one, index) => assignment(index + 1, one)))).toEqual([
    [5, 'agent', 'applies'],
    [4, 'search', 'applies'],
    [3, 'site', 'applies'],
    [2, 'client', 'applies'],
    [1, 'default', 'applies'],
  ])
})

test('several policies at one target apply in their order', () => {
  const assignments = [assignment(1, CLIENT, 2), assignment(2, CLIENT, 1), assignment(3, CLIENT, 2)]
  expect(chainOf(assignments).map(([id]) => id)).toEqual([2, 1, 3])
})

test('assignments elsewhere do not appear', () => {
  const elsewhere = [
    { ...CLIENT, id: 9 },
    { ...SITE, id: 2 },
    { ...AGENT, id: 'PC13PC13' },
    { ...SEARCH, search: 'zürich nowhere' },
  ]
  expect(chainOf(elsewhere.map((one, index) => assignment(index, one)))).toEqual([])
})

test.each<[string, object, string[]]>([
  ['nothing', {}, ['agent', 'search', 'site', 'client', 'default']],
  ['the machine', { agent: true }, ['agent']],
  ['the site', { site: true }, ['agent', 'search', 'site']],
  ['the client', { client: true }, ['agent', 'search', 'site', 'client']],
])('inheritance blocked by %s', (_by, blocks, levels) => {
  const on = machine({ blocks: { agent: false, site: false, client: false, ...blocks } })
  const chain = chainOf(
    ALL.map((one, index) => assignment(index + 1, one)),
    { on },
  )
  expect(chain.filter(([, , outcome]) => outcome === 'applies').map(([, level]) => level)).toEqual(levels)
  expect(chain).toHaveLength(5)
})

test.each<[PolicyOutcome, Partial<ChainPolicy>]>([
  ['inactive', { active: false }],
  ['excluded_agent', { excluded_agents: ['PC12PC12'] }],
  ['excluded_site', { excluded_sites: [3] }],
  ['excluded_client', { excluded_clients: [2] }],
  ['applies', { excluded_clients: [3], excluded_sites: [2], excluded_agents: ['PC13PC13'] }],
])('a policy is %s', (outcome, change) => {
  expect(chainOf([assignment(1, SITE)], { policies: [policy(1, change)] })).toEqual([[1, 'site', outcome]])
})

test('a slot for servers does not apply to workstations', () => {
  const assignments = [
    assignment(1, { ...DEFAULT, monitoring_type: 'server' }),
    assignment(2, { ...DEFAULT, monitoring_type: 'workstation' }),
  ]
  expect(chainOf(assignments).map(([, , outcome]) => outcome)).toEqual(['other_type', 'applies'])
  const on = machine({ monitoring_type: 'server' })
  expect(chainOf(assignments, { on }).map(([, , outcome]) => outcome)).toEqual(['applies', 'other_type'])
})

test('the same policy counts once, at its nearest assignment', () => {
  expect(chainOf([assignment(1, DEFAULT), assignment(1, SITE)])).toEqual([
    [1, 'site', 'applies'],
    [1, 'default', 'came_before'],
  ])
  const blocked = machine({ blocks: { agent: false, site: true, client: false } })
  expect(chainOf([assignment(1, CLIENT), assignment(1, AGENT)], { on: blocked })).toEqual([
    [1, 'agent', 'applies'],
    [1, 'client', 'blocked_by_site'],
  ])
})

const somePolicy = (id: number) =>
  fc.record({
    id: fc.constant(id),
    active: fc.boolean(),
    excluded_agents: fc.subarray(['PC12PC12', 'PC13PC13']),
    excluded_sites: fc.subarray([3, 4]),
    excluded_clients: fc.subarray([2, 5]),
  })
const someSlot = fc.constantFrom(null, 'server' as const, 'workstation' as const)
const someAssignment: fc.Arbitrary<PolicyAssignment> = fc
  .record({ policy: fc.integer({ min: 1, max: 6 }), position: fc.integer({ min: 0, max: 2 }) })
  .chain((head) =>
    fc
      .oneof(
        fc.record({ level: fc.constant('default' as const), monitoring_type: someSlot }),
        fc.record({
          level: fc.constant('client' as const),
          id: fc.constantFrom(2, 5),
          monitoring_type: someSlot,
        }),
        fc.record({
          level: fc.constant('site' as const),
          id: fc.constantFrom(3, 4),
          monitoring_type: someSlot,
        }),
        fc.record({ level: fc.constant('agent' as const), id: fc.constantFrom('PC12PC12', 'PC13PC13') }),
        fc.record({
          level: fc.constant('search' as const),
          search: fc.constantFrom('pc', 'zürich', 'berlin'),
        }),
      )
      .map((where) => ({ ...head, ...where })),
  )
const someWorld = fc.record({
  policies: fc.tuple(...[1, 2, 3, 4, 5].map(somePolicy)),
  assignments: fc.array(someAssignment, { maxLength: 25 }),
  on: fc
    .record({
      monitoring_type: fc.constantFrom('server' as const, 'workstation' as const),
      blocks: fc.record({ agent: fc.boolean(), site: fc.boolean(), client: fc.boolean() }),
    })
    .map(machine),
})

test('for any assignments, the chain keeps its invariants', () => {
  fc.assert(
    fc.property(someWorld, ({ policies, assignments, on }) => {
      const chain = compilePolicyChain(policies, assignments, compileTarget)(on)
      const applied = chain.filter(({ outcome }) => outcome === 'applies')
      expect(new Set(applied.map((link) => link.policy)).size).toBe(applied.length)
      const ranks = chain.map(({ assignment }) => POLICY_LEVELS.indexOf(assignment.level))
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      for (const { policy: id, assignment, outcome } of chain) {
        const { active, excluded_agents, excluded_clients, excluded_sites } = policies.find(
          (one) => one.id === id,
        )!
        if (outcome === 'came_before') expect(applied.map((link) => link.policy)).toContain(id)
        if (outcome !== 'applies') continue
        expect(active).toBe(true)
        expect(excluded_agents).not.toContain(on.agent_id)
        expect(excluded_sites).not.toContain(on.site_id)
        expect(excluded_clients).not.toContain(on.client_id)
        if (on.blocks.agent) expect(assignment.level).toBe('agent')
        if (on.blocks.site) expect(['client', 'default']).not.toContain(assignment.level)
        if (on.blocks.client) expect(assignment.level).not.toBe('default')
      }
    }),
  )
})

test('the order of policies and assignments in the input does not matter', () => {
  const shuffled = someWorld.chain((world) =>
    fc.record({
      world: fc.constant(world),
      policies: fc.shuffledSubarray(world.policies, { minLength: world.policies.length }),
      assignments: fc.shuffledSubarray(world.assignments, { minLength: world.assignments.length }),
    }),
  )
  fc.assert(
    fc.property(shuffled, ({ world, policies, assignments }) => {
      const applying = (chain: ReturnType<ReturnType<typeof compilePolicyChain>>) =>
        chain.filter(({ outcome }) => outcome === 'applies').map((link) => link.policy)
      expect(applying(compilePolicyChain(policies, assignments, compileTarget)(world.on))).toEqual(
        applying(compilePolicyChain(world.policies, world.assignments, compileTarget)(world.on)),
      )
    }),
  )
})
