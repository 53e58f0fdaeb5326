import type { Client, Site } from '@muster/contract/api/clients'
import { expect, test } from 'vitest'
import { filterSites, groupSites } from './site-choices.ts'

const STATE = {
  agent_count: 0,
  maintenance_mode: false,
  maintenance_count: 0,
  failing_checks: { error: false, warning: false },
  block_policy_inheritance: false,
  custom_fields: [],
  tags: [],
  alert_template: null,
  server_policy: null,
  workstation_policy: null,
}

function client(id: number, name: string, sites: Record<number, string>): Client {
  const list = Object.entries(sites).map(([siteId, siteName]): Site => ({
    id: Number(siteId),
    name: siteName,
    client: id,
    client_name: name,
    ...STATE,
  }))
  return { id, name, sites: list, ...STATE }
}

const CLIENTS = [client(1, 'Acme', { 1: 'Berlin', 2: 'Munich' }), client(2, 'Borealis', { 3: 'Berlin' })]

test('sites stand under their clients, without those that go', () => {
  expect(groupSites(CLIENTS, new Set([2]))).toEqual([
    { group: 'Acme', items: [{ value: '1', label: 'Berlin' }] },
    { group: 'Borealis', items: [{ value: '3', label: 'Berlin' }] },
  ])
})

test('a client all of whose sites go is not offered', () => {
  expect(groupSites(CLIENTS, new Set([1, 2])).map(({ group }) => group)).toEqual(['Borealis'])
})

test.each([
  ['', ['1', '2', '3']],
  ['berlin', ['1', '3']],
  ['acme', ['1', '2']],
  ['ber bor', ['3']],
  ['  MUNICH ', ['2']],
  ['nowhere', []],
])('the search %j finds sites by their own name and their client', (search, expected) => {
  const options = groupSites(CLIENTS, new Set())
  const found = filterSites({ options, search, limit: 100 })
  expect(found.flatMap((group) => ('items' in group ? group.items.map(({ value }) => value) : []))).toEqual(
    expected,
  )
})
