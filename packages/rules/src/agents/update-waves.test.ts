import { expect, test } from 'vitest'
import { planGroups, planWave, type WaveMachine, type Waves } from './update-waves.ts'

const machines = (count: number, more: Partial<WaveMachine> = {}): WaveMachine[] =>
  Array.from({ length: count }, (_, i) => ({
    id: `m${i}`,
    client: 1,
    isConnected: true,
    state: 'waiting',
    ...more,
  }))
const waves = (fleet: WaveMachine[], more: Partial<Waves> = {}): Waves => ({
  version: '2.0.0',
  machines: fleet,
  shares: [1, 10, 100],
  wave: 0,
  maxRollbacks: 3,
  maxInProgress: 1000,
  ...more,
})
const setStates = (fleet: WaveMachine[], ids: string[], state: WaveMachine['state']) =>
  fleet.map((one) => (ids.includes(one.id) ? { ...one, state } : one))

test('waves grow from 1 % to 10 % to all, each after the former is confirmed', () => {
  let fleet = machines(1000)
  const sizes: number[] = []
  for (let wave = 0; ;) {
    const plan = planWave(waves(fleet, { wave }))
    if (plan.state === 'done') break
    if (plan.state !== 'running') throw new Error(plan.reason)
    sizes.push(plan.offer.length)
    wave = plan.wave
    // Nothing more is offered while the wave is on its way.
    fleet = setStates(fleet, plan.offer, 'in progress')
    expect(planWave(waves(fleet, { wave }))).toEqual({ state: 'running', wave, offer: [] })
    fleet = setStates(fleet, plan.offer, 'confirmed')
  }
  expect(sizes).toEqual([10, 90, 900])
})

test('the first wave of a small fleet has one machine, another one for each version', () => {
  const first = (version: string) => {
    const plan = planWave(waves(machines(5), { version }))
    return plan.state === 'running' ? plan.offer : []
  }
  expect(first('2.0.0')).toHaveLength(1)
  expect(first('2.0.0')).toEqual(first('2.0.0'))
  const chosen = ['2.0.0', '2.0.1', '2.0.2', '2.1.0', '2.2.0', '3.0.0'].map((version) => first(version)[0])
  expect(new Set(chosen).size).toBeGreaterThan(1)
})

test('a wave whose machines roll back halts the update', () => {
  const fleet = machines(100)
  expect(planWave(waves(setStates(fleet, ['m1'], 'rolled back')))).toEqual({
    state: 'halted',
    wave: 0,
    reason: 'Version 2.0.0 was confirmed by 0 of 1 machines.',
  })
})

test('a resumed update tries another machine', () => {
  const fleet = setStates(machines(100), ['m1'], 'forgiven')
  const plan = planWave(waves(fleet))
  expect(plan).toMatchObject({ state: 'running', wave: 0, offer: { length: 1 } })
})

test('more rollbacks than allowed halt the update, until they are forgiven', () => {
  const fleet = setStates(machines(100, { state: 'confirmed' }), ['m1', 'm2', 'm3', 'm4'], 'rolled back')
  expect(planWave(waves([...fleet, ...machines(1)], { wave: 2 }))).toEqual({
    state: 'halted',
    wave: 2,
    reason: '4 machines rolled version 2.0.0 back.',
  })
  const forgiven = setStates(fleet, ['m1', 'm2', 'm3', 'm4'], 'forgiven')
  expect(planWave(waves(forgiven, { wave: 2 })).state).toBe('done')
})

test('offline machines neither receive a version nor stop the waves', () => {
  const offline = machines(90, { isConnected: false }).map((one) => ({ ...one, id: `off-${one.id}` }))
  let fleet = [...machines(10), ...offline]
  const first = planWave(waves(fleet))
  expect(first).toMatchObject({ state: 'running', offer: [expect.stringMatching(/^m/)] })
  fleet = [...machines(10, { state: 'confirmed' }), ...offline]
  expect(planWave(waves(fleet, { wave: 1 }))).toEqual({ state: 'running', wave: 2, offer: [] })
})

test('at most so many machines are updated at the same time', () => {
  const fleet = [
    ...machines(100, { state: 'confirmed' }),
    ...machines(100).map((one) => ({ ...one, id: `n${one.id}` })),
  ]
  const busy = setStates(fleet, ['nm0', 'nm1', 'nm2'], 'in progress')
  expect(planWave(waves(busy, { wave: 2, maxInProgress: 10 }))).toMatchObject({
    offer: { length: 7 },
  })
})

test('without a stored wave, the machines that were tried say which one it is', () => {
  const fleet = machines(1000)
  const tried = (count: number, state: WaveMachine['state']) =>
    setStates(
      fleet,
      fleet.slice(0, count).map(({ id }) => id),
      state,
    )
  const planOf = (given: WaveMachine[]) => planWave(waves(given, { wave: undefined }))
  expect(planOf(fleet)).toMatchObject({ state: 'running', wave: 0, offer: { length: 10 } })
  expect(planOf(tried(10, 'confirmed'))).toMatchObject({ wave: 1, offer: { length: 90 } })
  // The rest of the second wave does not wait for those that are on their way.
  expect(planOf(tried(60, 'in progress'))).toMatchObject({ wave: 1, offer: { length: 40 } })
  expect(planOf(tried(1000, 'confirmed'))).toMatchObject({ state: 'done' })
})

const groups = (...fleets: WaveMachine[][]) =>
  planGroups({
    version: '2.0.0',
    maxRollbacks: 3,
    maxInProgress: 150,
    groups: [
      { machines: fleets[0] ?? [], shares: [1, 10, 100], wave: 0 },
      ...fleets.slice(1).map((own) => ({ machines: own, shares: [100], wave: undefined })),
    ],
  })
const named = (name: string, count: number) =>
  machines(count).map((one) => ({ ...one, id: `${name}${one.id}` }))
const first = (fleet: WaveMachine[], count: number, state: WaveMachine['state']) =>
  setStates(
    fleet,
    fleet.slice(0, count).map(({ id }) => id),
    state,
  )

test('groups have their own waves, and share the number of machines in progress', () => {
  const plan = groups(named('a', 100), named('b', 100), named('c', 100))
  const offer = plan.state === 'running' ? plan.offer : []
  const count = (name: string) => offer.filter((id) => id.startsWith(name)).length
  expect([count('a'), count('b'), count('c')]).toEqual([1, 100, 49])
  expect(groups([], first(named('b', 10), 10, 'confirmed'))).toMatchObject({ state: 'done' })
})

test('rollbacks are counted over all groups, and one that halts halts all', () => {
  const rolledBack = (name: string) => first(first(named(name, 100), 20, 'confirmed'), 2, 'rolled back')
  expect(groups(rolledBack('a'), rolledBack('b'))).toEqual({
    state: 'halted',
    wave: 2,
    reason: '4 machines rolled version 2.0.0 back.',
  })
  expect(groups(named('a', 100), first(named('b', 100), 100, 'failed'))).toMatchObject({
    state: 'halted',
    wave: 0,
    reason: 'Version 2.0.0 was confirmed by 0 of 100 machines.',
  })
})

test('a few rollbacks among very many confirmed machines are no reason to halt', () => {
  const fleet = first(machines(1000, { state: 'confirmed' }), 4, 'rolled back')
  expect(planWave(waves([...fleet, ...named('n', 1)], { wave: 2 }))).toMatchObject({
    state: 'running',
    offer: ['nm0'],
  })
  expect(groups([...fleet, ...named('n', 1)])).toMatchObject({ state: 'running' })
})

const ofClient = (client: number, fleet: WaveMachine[]) =>
  fleet.map((one) => ({ ...one, client, id: `${client}-${one.id}` }))

test('a client whose machines roll back is left out, and the others go on', () => {
  const bad = ofClient(2, first(machines(50), 20, 'rolled back'))
  const good = ofClient(1, first(machines(50), 10, 'confirmed'))
  const plan = groups([...bad, ...good])
  expect(plan).toMatchObject({ state: 'running', held: [2] })
  const offer = plan.state === 'running' ? plan.offer : []
  expect(offer.length).toBeGreaterThan(0)
  expect(offer.filter((id) => id.startsWith('2-'))).toEqual([])
  // The first machine of all may be one of them.
  const one = ofClient(2, first(machines(1), 1, 'rolled back'))
  expect(groups([...one, ...ofClient(1, machines(50))])).toMatchObject({ held: [2], offer: { length: 1 } })
})

test('rollbacks at several clients halt the update', () => {
  const bad = (client: number) => ofClient(client, first(machines(50), 20, 'rolled back'))
  const good = ofClient(1, first(machines(50), 10, 'confirmed'))
  expect(groups([...bad(2), ...bad(3), ...good])).toEqual({
    state: 'halted',
    wave: 2,
    reason: '40 machines rolled version 2.0.0 back.',
  })
  // Few at each of many clients.
  const each = [2, 3, 4, 5].map((client) => ofClient(client, first(machines(5), 1, 'rolled back')))
  expect(groups([...each.flat(), ...good])).toMatchObject({ state: 'halted' })
  const two = [2, 3].map((client) => ofClient(client, first(machines(5), 1, 'rolled back')))
  expect(groups([...two.flat(), ...ofClient(1, machines(50))])).toEqual({
    state: 'halted',
    wave: 0,
    reason: 'Version 2.0.0 was confirmed by 0 of 2 machines.',
  })
})

test('a group of one client that fails holds this client only', () => {
  const own = ofClient(2, first(machines(10), 10, 'failed'))
  const plan = groups(ofClient(1, first(machines(100), 1, 'confirmed')), own)
  expect(plan).toMatchObject({ state: 'running', held: [2] })
})
