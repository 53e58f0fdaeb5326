import type { Client, Site } from '@muster/contract/api/clients'
import { expect, test } from 'vitest'
import {
  type InstallForm,
  checkInstallForm,
  findInitialSite,
  isLoopback,
  toInstallerRequest,
} from './install-form.ts'

const FORM: InstallForm = {
  plat: 'linux',
  method: 'line',
  goarch: 'amd64',
  power: false,
  rdp: false,
  ping: false,
  client: '1',
  site: '2',
  agenttype: 'server',
  expires: 24,
  uses: 100,
  own_folder: false,
  data_folder: '',
}

test('the defaults make a valid line', () => {
  expect(checkInstallForm(FORM)).toEqual({})
  expect(toInstallerRequest(FORM)).toEqual({
    client: 1,
    site: 2,
    agenttype: 'server',
    plat: 'linux',
    expires: 24,
    uses: 100,
    goarch: 'amd64',
  })
})

test.each<[Partial<InstallForm>, object]>([
  [
    { plat: 'windows', rdp: true },
    { plat: 'windows', rdp: true, ping: false, power: false },
  ],
  [{ plat: 'windows', power: true, agenttype: 'workstation' }, { power: true }],
  // A server is never meant to sleep.
  [{ plat: 'windows', power: true, agenttype: 'server' }, { power: false }],
  [
    { plat: 'windows', method: 'msi', goarch: 'arm64' },
    { installMethod: 'manual', goarch: 'arm64' },
  ],
  [{ plat: 'darwin' }, { plat: 'darwin', goarch: 'arm64' }],
  [
    { plat: 'darwin', method: 'tar.xz' },
    { installMethod: 'manual', goarch: 'amd64' },
  ],
  [
    { plat: 'linux', method: 'rpm' },
    { installMethod: 'manual', format: 'rpm' },
  ],
])('the request of %o', (change, request) => {
  expect(toInstallerRequest({ ...FORM, ...change })).toMatchObject(request)
})

test.each<Partial<InstallForm>>([{ plat: 'windows', method: 'msi' }, { plat: 'linux' }])(
  'settings of Windows are not sent for %o',
  (change) => {
    const request = toInstallerRequest({ ...FORM, ...change, rdp: true, ping: true, power: true })
    expect(request).not.toHaveProperty('rdp')
  },
)

test('a folder of its own is for shell commands only', () => {
  const form = { ...FORM, own_folder: true, data_folder: '' }
  expect(checkInstallForm(form)).toHaveProperty('data_folder')
  expect(checkInstallForm({ ...form, plat: 'windows' })).toEqual({})
  expect(toInstallerRequest({ ...form, method: 'deb' })).not.toHaveProperty('data_folder')
})

test.each([
  [{ client: null }, 'client'],
  [{ site: null }, 'site'],
  [{ expires: '' }, 'expires'],
  [{ expires: 0 }, 'expires'],
  [{ expires: 8761 }, 'expires'],
  [{ expires: 1.5 }, 'expires'],
  [{ uses: 0 }, 'uses'],
  [{ uses: 100_001 }, 'uses'],
  [{ own_folder: true, data_folder: '' }, 'data_folder'],
  [{ own_folder: true, data_folder: '~/muster' }, 'data_folder'],
  [{ own_folder: true, data_folder: 'muster' }, 'data_folder'],
  [{ own_folder: true, data_folder: '/' }, 'data_folder'],
])('%o is an error at its field', (change, field) => {
  expect(Object.keys(checkInstallForm({ ...FORM, ...change }))).toEqual([field])
})

test('a folder counts only where it is asked for', () => {
  const form = { ...FORM, data_folder: ' /tmp/muster ' }
  expect(toInstallerRequest(form)).not.toHaveProperty('data_folder')
  expect(toInstallerRequest({ ...form, own_folder: true }).data_folder).toBe('/tmp/muster')
})

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
const site = (id: number, client: number): Site => ({
  id,
  name: `site ${id}`,
  client,
  client_name: `client ${client}`,
  ...STATE,
})
const client = (id: number, sites: number[]): Client => ({
  id,
  name: `client ${id}`,
  sites: sites.map((siteId) => site(siteId, id)),
  ...STATE,
})
const CLIENTS = [client(1, [1, 2]), client(2, [3])]

test.each([
  [undefined, { client: null, site: null }],
  ['2', { client: '1', site: '2' }],
  ['Site|3', { client: '2', site: '3' }],
  ['Client|1', { client: '1', site: null }],
  ['Client|2', { client: '2', site: '3' }],
  ['Site|9', { client: null, site: null }],
  ['nonsense', { client: null, site: null }],
])('the place for %j', (wanted, place) => {
  expect(findInitialSite(CLIENTS, wanted)).toEqual(place)
})

test('the only client and its only site need no choice', () => {
  expect(findInitialSite([client(2, [3])], undefined)).toEqual({ client: '2', site: '3' })
})

test.each([
  ['http://127.0.0.1:8420', true],
  ['http://localhost:8420', true],
  ['http://[::1]:8420', true],
  ['https://muster.example', false],
  ['http://192.0.2.7:8420', false],
  ['http://127.0.0.1.example', false],
  ['', false],
])('%j is reached from its own machine only: %j', (url, expected) => {
  expect(isLoopback(url)).toBe(expected)
})
