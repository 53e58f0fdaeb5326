import { expect, test } from 'vitest'
import { suggestSearch } from './suggest-search.ts'
import { testMachine } from './test-machines.ts'

const rows = [
  testMachine({ client_name: 'Acme Corp', hostname: 'web-1', custom_fields: [{ id: 1, field: 4, value: 'Rack 7', agent: 'a0000000' }] }), // prettier-ignore
  testMachine({ client_name: 'Nordwind', hostname: 'web-2' }),
  testMachine({ client_name: 'Nordwind', hostname: 'db-1' }),
]
const customFields = [
  { id: 4, name: 'Rack position', type: 'text' as const, model: 'agent' as const },
  { id: 5, name: 'Key boxes', type: 'number' as const, model: 'site' as const },
]

function suggested(text: string): [from: number, ...texts: string[]] | undefined {
  const found = suggestSearch(text, text.length, { rows, customFields })
  return found && [found.from, ...found.items.map((item) => item.text)]
}

test.each<[string, ReturnType<typeof suggested>]>([
  ['', undefined],
  ['c', undefined],
  ['pc-12', undefined],
  ['cli', [0, 'client:']],
  ['web -cli', [5, 'client:']],
  ['(disk_f', [1, 'disk_free<']],
  ['rack', [0, 'cf."Rack position":']],
  ['cf.', [0, 'cf."Rack position":']],
  ['mac', [0, 'mac:']],
  ['disk_s', [0, 'disk_serial:', 'disk_size<']],
  ['file_', [0, 'file_system:']],
  ['devi', [0, 'device:']],
  ['antivirus_', [0, 'antivirus_product:']],
  ['key', [0, 'site."Key boxes"<']],
  ['site.', [0, 'site."Key boxes"<']],
  ['guest_state:st', [12, 'stopped', 'restarting']],
  ['"cli', undefined],
  ['is:off', [3, 'offline']],
  ['a not:main', [6, 'maintenance']],
  ['is:offline', undefined],
  ['client:', [7, 'Nordwind', '"Acme Corp"']],
  ['client:"ac', [7, '"Acme Corp"']],
  ['client:(Nordwind, ac', [18, '"Acme Corp"']],
  ['client=nord', [7, 'Nordwind']],
  ['name:b-', [5, 'web-1', 'web-2', 'db-1']],
  ['maintenance:', [12, 'yes', 'no']],
  ['status:o', [7, 'online', 'offline', 'overdue']],
  ['check:fail', [6, 'failing']],
  ['rack_position:', [14, '"Rack 7"']],
  ['cf."Rack position":', [19, '"Rack 7"']],
  ['ram:', undefined],
  ['nothing:', undefined],
])('%j: %j', (text, expected) => {
  expect(suggested(text)).toEqual(expected)
})

test('only the text before the caret counts', () => {
  expect(suggestSearch('cli web', 3, { rows, customFields })).toMatchObject({
    from: 0,
    items: [{ text: 'client:' }],
  })
})
