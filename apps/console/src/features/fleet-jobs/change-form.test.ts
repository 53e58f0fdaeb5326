import { JobAction } from '@muster/contract/fleet-jobs/job-draft'
import { expect, test } from 'vitest'
import { type ChangeForm, type ChangeName, findChangeProblem, NEW_CHANGE, toChange } from './change-form.ts'

const form = (more: Partial<ChangeForm>): ChangeForm => ({ ...NEW_CHANGE, ...more })

test.each<[ChangeName, Partial<ChangeForm>, object]>([
  ['tags', { addTags: ['VIP'] }, { add: ['VIP'], remove: [] }],
  ['move', { site: '7' }, { site: 7 }],
  ['custom_field', { field: '4', fieldType: 'multiple', fieldValue: ['a'] }, { field: 4, value: ['a'] }],
  [
    'custom_field',
    { field: '4', fieldType: 'datetime', fieldValue: '2026-11-25T10:00' },
    { value: new Date('2026-11-25T10:00').toISOString() },
  ],
  ['service', { service: ' ssh ', startType: 'disabled' }, { name: 'ssh', start_type: 'disabled' }],
  [
    'approve_patches',
    { decision: 'ignore', severities: ['Low', 'none'] },
    { decision: 'ignore', severities: ['Low', ''] },
  ],
  [
    'registry',
    { key: 'HKLM\\SOFTWARE\\Acme\\', valueName: 'speed', valueType: 'REG_DWORD', valueText: '2' },
    { path: 'HKLM\\SOFTWARE\\Acme', value: { type: 'REG_DWORD', bytes: 'AgAAAA==' } },
  ],
  ['registry', { key: 'HKCU\\A', deleteValue: true }, { name: '', value: null }],
  [
    'file',
    { path: '/etc/motd', text: 'hi\n', mode: '0640', owner: 'root:adm' },
    { mode: 0o640, owner: 'root:adm', text: 'hi\n' },
  ],
  ['file', { path: 'C:\\motd.txt' }, { mode: null, owner: null, text: '' }],
  [
    'push_file',
    { pushed: '3', path: '/opt/app.bin', mode: '0755', overwrite: false },
    { file: 3, path: '/opt/app.bin', mode: 0o755, owner: null, overwrite: false, timeout: 1800 },
  ],
])('the form makes a valid action: %s %j', (action, values, expected) => {
  expect(findChangeProblem(action, form(values))).toBeUndefined()
  expect(JobAction.parse(toChange(action, form(values)))).toMatchObject({ type: action, ...expected })
})

test.each<[ChangeName, Partial<ChangeForm>, string]>([
  ['tags', {}, 'Enter a tag.'],
  ['move', {}, 'Choose a site.'],
  ['custom_field', {}, 'Choose a custom field.'],
  ['service', {}, 'Enter the name of a service.'],
  ['service', { service: 'ssh' }, 'Choose an action or a start type.'],
  ['approve_patches', { severities: [] }, 'Choose a patch or a severity.'],
  ['registry', {}, 'Enter a key.'],
  [
    'registry',
    { key: 'HKLM\\A', valueType: 'REG_DWORD', valueText: 'two' },
    'Enter a number such as 10 or 0x0a that fits the type.',
  ],
  ['push_file', { path: '/opt/app.bin' }, 'Choose a file.'],
  ['push_file', { pushed: '3' }, 'Enter a full path, such as /etc/motd or C:\\motd.txt.'],
  ['file', { path: 'motd' }, 'Enter a full path, such as /etc/motd or C:\\motd.txt.'],
  ['file', { path: '/etc/' }, 'Enter a full path, such as /etc/motd or C:\\motd.txt.'],
  ['file', { path: '/etc/motd', mode: '9' }, 'Enter a mode of three or four octal digits, such as 0644.'],
  ['file', { path: '/etc/motd', owner: 'a b' }, 'Write user or user:group.'],
])('the form says what is missing: %s %j', (action, values, problem) => {
  expect(findChangeProblem(action, form(values))).toBe(problem)
})
