import { expect, test } from 'vitest'
import { compileTarget, findTargetProblem, type TargetableMachine, targetMachine } from './machine-target.ts'

const machine: TargetableMachine = {
  agent_id: 'PC12PC12',
  goarch: 'amd64',
  ram_bytes: 8e9,
  hostname: 'PC-12',
  client_name: 'Nordwind AG',
  site_name: 'Zürich',
  description: 'Front desk',
  plat: 'linux',
  monitoring_type: 'server',
  version: '0.1.0',
  operating_system: 'Debian 13',
  public_ip: '203.0.113.9',
  local_ips: '10.0.0.5',
  cpu_model: ['EPYC'],
  graphics: '',
  make_model: 'R640',
  physical_disks: [],
  serial_number: 'X1',
  custom_fields: [{ field: 1, value: 'gold' }],
  tags: ['front desk'],
}

test.each([
  ['zürich DEBIAN', true],
  ['server gold', true],
  ['workstation', false],
  ['online', false],
  ['', false],
  ['os:debian -client:other type:(server, workstation)', true],
  ['ram>4gb is:linux', true],
  ['os:windows or name=pc-12', true],
  // Before the search language these were words.
  ['server (gold', false],
])('the search %j of a policy finds the machine: %s', (search, expected) => {
  expect(compileTarget(search)(targetMachine(machine))).toBe(expected)
})

test('a search for a state is not a valid target', () => {
  expect(findTargetProblem('debian is:online')).toMatch('A policy cannot use "is:online"')
  expect(findTargetProblem('  ')).toBe('Enter a search for the machines.')
  expect(findTargetProblem('debian or (pc disk_free<10%)')).toMatch('A policy cannot use "disk_free"')
  expect(findTargetProblem('-cf.room:204')).toBe(
    'A policy cannot use the name of a custom field. Search for its value.',
  )
  expect(findTargetProblem('debin:')).toMatch('There is no field debin.')
  expect(findTargetProblem('debian -os:windows')).toBeUndefined()
})
