import { expect, test } from 'vitest'
import { compileTarget, findTargetProblem, type TargetableMachine, targetText } from './machine-target.ts'

const machine: TargetableMachine = {
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
  custom_fields: [{ value: 'gold' }],
}

test.each([
  ['zürich DEBIAN', true],
  ['server gold', true],
  ['workstation', false],
  ['online', false],
  ['', false],
])('the search %j of a policy finds the machine: %s', (search, expected) => {
  expect(compileTarget(search)(targetText(machine))).toBe(expected)
})

test('a search for a state is not a valid target', () => {
  expect(findTargetProblem('debian is:online')).toMatch('A policy cannot use "is:online"')
  expect(findTargetProblem('  ')).toBe('Enter a search for the machines.')
  expect(findTargetProblem('debian')).toBeUndefined()
})
