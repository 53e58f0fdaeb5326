import { expect, test } from 'vitest'
import { findPackages, machinesTable, type PackageRow, packagesTable } from './software-rows.ts'

const row = (name: string, version: string, more: Partial<PackageRow> = {}): PackageRow => ({
  title: 'a'.repeat(32),
  name,
  version,
  publisher: '',
  source: 'dpkg',
  size: null,
  install_date: null,
  uninstall: null,
  available: null,
  states: [],
  package_name: name,
  ...more,
})
const ROWS = [
  row('libssl10', '3.0.10', { size: 5000 }),
  row('Firefox', '132.0', { source: 'windows', publisher: 'Mozilla', install_date: '2026-01-02' }),
  row('libssl9', '3.0.9', { size: 20 }),
]
const names = (search: string, column: string, descending = false) =>
  findPackages(ROWS, search, { column, descending }).map(({ name }) => name)

test('packages are found by all words, and sorted as people count', () => {
  expect(names('', 'name')).toEqual(['Firefox', 'libssl9', 'libssl10'])
  expect(names('', 'version')).toEqual(['libssl9', 'libssl10', 'Firefox'])
  expect(names('', 'size', true)).toEqual(['libssl10', 'libssl9', 'Firefox'])
  expect(names('WINDOWS mozilla', 'name')).toEqual(['Firefox'])
  expect(names('ssl 3.0.1', 'installed')).toEqual(['libssl10'])
})

test('a file of packages and one of machines have a line for each', () => {
  expect(packagesTable(ROWS.slice(1, 2))[1]).toEqual([
    'Firefox',
    '132.0',
    null,
    'Mozilla',
    null,
    '2026-01-02',
    'Windows',
    '',
  ])
  const half = row('postfix', '3.7', { states: ['half-configured', 'held'] })
  expect(packagesTable([half])[1]?.at(-1)).toBe('half-configured, on hold')
  expect(findPackages([...ROWS, half], 'on hold', { column: 'name', descending: false })).toEqual([half])
  const machine = { agent_id: 'alpha0000000', hostname: 'alpha', plat: 'linux', client: 'Acme' } as const
  const more = {
    name: 'vim',
    site: 'Berlin',
    version: '1',
    publisher: '',
    install_date: null,
    available: '2',
    package_name: 'vim',
  }
  expect(machinesTable([{ ...machine, ...more }])[1]).toEqual([
    'vim',
    'alpha',
    'Acme',
    'Berlin',
    '1',
    '2',
    '',
    null,
  ])
})
