import { expect, test } from 'vitest'
import { readFactSources } from './fact-sources.ts'
import { describeDisks } from './windows/physical-disks.ts'

const fails = (message: string) => () => Promise.reject(new Error(message))

test('a source of facts that fails is named, and the others are reported', async () => {
  const facts = await readFactSources([
    { name: 'the firmware', read: fails('access is denied') },
    { name: 'the processor', read: async () => ({ cpus: ['Xeon'] }) },
    { name: 'the physical disks', read: async () => ({ physical_disks: [], problems: ['No disk.'] }) },
    { name: 'the signed-in users', read: fails('error 5 '.repeat(100)) },
    { name: 'the graphics cards', read: async () => ({ graphics: ['Matrox'] }) },
  ])
  expect(facts).toMatchObject({ cpus: ['Xeon'], physical_disks: [], graphics: ['Matrox'] })
  expect(facts).not.toHaveProperty('make')
  expect(facts.problems).toEqual([
    'The agent failed to read the firmware: access is denied.',
    'No disk.',
    expect.stringMatching(/^The agent failed to read the signed-in users: (error 5 )+.{0,8}$/),
  ])
  expect((facts.problems?.[2] ?? '').length).toBeLessThan(300)
})

test('physical disks of Windows that do not respond are counted', () => {
  const disk = { name: 'Samsung SSD 990', size: 1_000_204_886_016, type: 'NVMe', serial: 'S1' }
  expect(describeDisks([disk])).toEqual({ physical_disks: [disk], problems: [] })
  expect(describeDisks([disk, undefined, undefined])).toEqual({
    physical_disks: [disk],
    problems: ['2 of 3 physical disks do not respond.'],
  })
  expect(describeDisks([])).toEqual({ physical_disks: [], problems: ['Windows lists no physical disks.'] })
})
