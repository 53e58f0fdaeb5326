import type { Client, Site } from '@muster/contract/api/clients'
import { describe, expect, test } from 'vitest'
import { describeLine, listTreeLines } from './tree-lines.ts'

const OK = { error: false, warning: false }
const FAILS = { error: true, warning: false }

function site(id: number, name: string, more: Partial<Site> = {}): Site {
  return {
    id,
    name,
    client: 1,
    client_name: 'x',
    agent_count: 2,
    maintenance_mode: false,
    maintenance_count: 0,
    failing_checks: OK,
    block_policy_inheritance: false,
    custom_fields: [],
    alert_template: null,
    server_policy: null,
    workstation_policy: null,
    ...more,
  }
}

function client(id: number, name: string, sites: Site[], more: Partial<Client> = {}): Client {
  return {
    id,
    name,
    sites,
    agent_count: sites.length * 2,
    maintenance_mode: false,
    maintenance_count: 0,
    failing_checks: OK,
    block_policy_inheritance: false,
    custom_fields: [],
    tags: [],
    alert_template: null,
    server_policy: null,
    workstation_policy: null,
    ...more,
  }
}

const CLIENTS = [
  client(1, 'Zeta', [site(1, 'Main')], { failing_checks: FAILS }),
  client(2, 'Alpha', [site(2, 'West'), site(3, 'East', { maintenance_mode: true, failing_checks: FAILS })]),
]

describe('the lines of the tree', () => {
  test('stand failing first, with all clients on top', () => {
    const lines = listTreeLines(CLIENTS, 'alphafail', new Map())
    expect(lines.map(({ id }) => id)).toEqual(['all', 'Client|1', 'Site|1', 'Client|2', 'Site|3', 'Site|2'])
    expect(lines[0]).toMatchObject({ count: 6, level: 1, position: 1, siblings: 3 })
    expect(lines[4]).toMatchObject({ level: 2, position: 1, siblings: 2, color: 'maintenance' })
  })

  test('stand by name on request', () => {
    const lines = listTreeLines(CLIENTS, 'alpha', new Map())
    expect(lines.filter(({ kind }) => kind === 'Client').map(({ label }) => label)).toEqual(['Alpha', 'Zeta'])
  })

  test('leave out the lines of a closed branch', () => {
    const lines = listTreeLines(CLIENTS, 'alpha', new Map([['Client|2', false]]))
    expect(lines.map(({ id }) => id)).toEqual(['all', 'Client|2', 'Client|1', 'Site|1'])
    expect(lines[1]?.expanded).toBe(false)
  })

  test('of a large tree are closed by default', () => {
    const many = Array.from({ length: 50 }, (_, index) =>
      client(index + 1, `C${index}`, [site(index + 1, 'S')]),
    )
    expect(listTreeLines(many, 'alpha', new Map())).toHaveLength(51)
    expect(listTreeLines(many, 'alpha', new Map([['Client|1', true]]))).toHaveLength(52)
  })
})

test('a node of which some machines are in maintenance keeps the colour of the others, and says how many', () => {
  const state = { agent_count: 5, maintenance_count: 2, failing_checks: FAILS }
  const [, line] = listTreeLines([client(1, 'Acme', [], state)], 'alphafail', new Map())
  expect(line).toMatchObject({ color: 'negative', maintenance: 2 })
  expect(line && describeLine(line)).toBe(
    'Client 1, 5 machines\nCheck failing\n2 of 5 machines in maintenance mode',
  )
})

test('the tooltip names id, machines and state', () => {
  const [, zeta] = listTreeLines(CLIENTS, 'alphafail', new Map())
  expect(zeta && describeLine(zeta)).toBe('Client 1, 2 machines\nCheck failing')
})
